package io.outrigger.lb;

/** gRPC's connectivity states of a subchannel or a policy. */
public enum Connectivity {
  IDLE,
  CONNECTING,
  READY,
  TRANSIENT_FAILURE
}
