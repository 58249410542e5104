package io.outrigger.dataplane.memory;

import io.outrigger.http2.MemoryHolder;

/** The kind of peer to which a connection leads. */
public enum PeerSide {
  /** A local app that sends requests. */
  APP,
  /** A backend that answers requests. */
  BACKEND;

  static PeerSide of(MemoryHolder connection) {
    return connection.isShared() ? BACKEND : APP;
  }
}
