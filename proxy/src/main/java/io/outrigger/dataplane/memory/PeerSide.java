package io.outrigger.dataplane.memory;

/** The kind of peer to which a connection leads. */
public enum PeerSide {
  /** A local app that sends requests. */
  APP,
  /** A backend that answers requests. */
  BACKEND
}
