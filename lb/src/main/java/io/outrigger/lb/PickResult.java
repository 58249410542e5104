package io.outrigger.lb;

import io.outrigger.base.RpcStatus;

/** The answer of a pick. Built beforehand and shared by many calls wherever possible. */
public sealed interface PickResult {
  /**
   * Use this subchannel. Whoever receives it owes the subchannel exactly one {@link
   * Subchannel#callEnded}.
   */
  record Use(Subchannel subchannel) implements PickResult {}

  /**
   * No decision yet: wait for the next picker (A121 "LB Pick Delays").
   *
   * @param delayType what is waited for, one of few words
   * @param reason the same for people, beginning with the policy's name
   */
  record Queue(String delayType, String reason) implements PickResult {
    /** Waits until something connects. */
    public static Queue connecting(String reason) {
      return new Queue("connecting", reason);
    }
  }

  /** Fails the call, unless it waits for readiness: then it queues. */
  record Fail(RpcStatus status) implements PickResult {}

  /** Fails the call even when it waits for readiness. */
  record Drop(RpcStatus status, Reason reason) implements PickResult {}

  /** Why a call was dropped. */
  enum Reason {
    /** The control plane asked for a share of calls to be dropped (A27-10). */
    OVERLOAD_DROP,
    /** As many calls are in flight as the cluster allows (A32). */
    CIRCUIT_BREAKER,
    /** The cluster does not exist or is unusable (A31-09). */
    NO_CLUSTER
  }
}
