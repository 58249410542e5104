package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import org.jspecify.annotations.Nullable;

/** The answer of a pick. Built beforehand and shared by many calls wherever possible. */
public sealed interface PickResult {
  /**
   * Use this subchannel. The receiver calls {@link Subchannel#callEnded} of it exactly once. Equal
   * only to itself.
   */
  @AnyThread
  final class Use implements PickResult {
    private final Subchannel subchannel;
    private final @Nullable CircuitBreaker breaker;

    /** The last answer of {@link #countedBy}. Threads race for it, and each value is complete. */
    private @Nullable Use counted;

    public Use(Subchannel subchannel) {
      this(subchannel, null);
    }

    private Use(Subchannel subchannel, @Nullable CircuitBreaker breaker) {
      this.subchannel = subchannel;
      this.breaker = breaker;
    }

    public Subchannel subchannel() {
      return subchannel;
    }

    /**
     * The same subchannel. {@code breaker}, which has counted the call in, counts it out when it
     * ends, even when the cluster has another breaker by then (A32-09). Made once for each breaker,
     * not once for each call.
     */
    public Use countedBy(CircuitBreaker breaker) {
      Use last = counted;
      if (last == null || last.breaker != breaker) {
        last = new Use(new LimitedSubchannel(subchannel, breaker), breaker);
        counted = last;
      }
      return last;
    }
  }

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
