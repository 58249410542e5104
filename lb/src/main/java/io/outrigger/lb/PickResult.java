package io.outrigger.lb;

import io.outrigger.base.RpcStatus;

/** The answer of a pick. Built beforehand and shared by many calls wherever possible. */
public sealed interface PickResult {
  /** No decision yet: wait for the next picker. */
  PickResult QUEUE = new Queue();

  /**
   * Use this subchannel. Whoever receives it owes the subchannel exactly one {@link
   * Subchannel#callEnded}.
   */
  record Use(Subchannel subchannel) implements PickResult {}

  /** See {@link #QUEUE}. */
  record Queue() implements PickResult {}

  /** Fails the call, unless it waits for readiness: then it queues. */
  record Fail(RpcStatus status) implements PickResult {}

  /** Fails the call even when it waits for readiness: a drop or a full circuit breaker. */
  record Drop(RpcStatus status, Reason reason) implements PickResult {}

  /** Why a call was dropped. */
  enum Reason {
    OVERLOAD_DROP,
    CIRCUIT_BREAKER
  }
}
