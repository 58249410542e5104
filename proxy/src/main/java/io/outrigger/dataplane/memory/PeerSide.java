package io.outrigger.dataplane.memory;

/** Which kind of peer a connection leads to. */
public enum PeerSide {
  /** A local app that sends requests. */
  APP,
  /** A backend that answers them. */
  BACKEND
}
