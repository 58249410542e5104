package io.outrigger.lb.state;

import java.util.List;

/** gRPC's connectivity states of a subchannel or a policy. */
public enum Connectivity {
  IDLE,
  CONNECTING,
  READY,
  TRANSIENT_FAILURE;

  private static final List<Connectivity> BEST_FIRST =
      List.of(READY, CONNECTING, IDLE, TRANSIENT_FAILURE);

  /** Returns the better of two states, in the order READY, CONNECTING, IDLE, TRANSIENT_FAILURE. */
  public Connectivity or(Connectivity other) {
    return BEST_FIRST.indexOf(this) <= BEST_FIRST.indexOf(other) ? this : other;
  }
}
