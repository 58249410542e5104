package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import org.jspecify.annotations.Nullable;

/**
 * The result of a pick. Results are created in advance and shared by many calls wherever possible.
 */
public sealed interface PickResult {
  /**
   * The call uses this subchannel. The receiver must call {@link Subchannel#callEnded} exactly once
   * on the subchannel. Equality is identity.
   */
  @AnyThread
  final class Use implements PickResult {
    private final Subchannel subchannel;
    private final @Nullable CircuitBreaker breaker;

    /**
     * The result that {@link #countedBy} returned last. Threads write this field without
     * synchronization, which is safe because each value is complete.
     */
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
     * Returns a result for the same subchannel whose calls {@code breaker} counts. {@code breaker}
     * has counted the call as in flight and counts its end, even when the cluster has another
     * breaker by then (A32-09). The result is created once for each breaker, not once for each
     * call.
     */
    public Use countedBy(CircuitBreaker breaker) {
      Use last = counted;
      if (last == null || last.breaker != breaker) {
        last = new Use(new Limited(subchannel, breaker), breaker);
        counted = last;
      }
      return last;
    }

    /** A subchannel whose calls {@code breaker} has counted as in flight. */
    @AnyThread
    private static final class Limited extends DelegatingSubchannel {
      private final CircuitBreaker breaker;

      Limited(Subchannel subchannel, CircuitBreaker breaker) {
        super(subchannel);
        this.breaker = breaker;
      }

      @Override
      public void callEnded(PickContext call, CallOutcome outcome) {
        breaker.release();
        super.callEnded(call, outcome);
      }
    }
  }

  /**
   * There is no decision yet: the call waits for the next picker (A121 "LB Pick Delays").
   *
   * @param delayType the kind of the delay, out of a few fixed words
   * @param reason the cause of the delay as a text for people, beginning with the policy's name
   */
  record Queue(String delayType, String reason) implements PickResult {
    /** Returns a result with which calls wait until a connection is made. */
    public static Queue connecting(String reason) {
      return new Queue("connecting", reason);
    }
  }

  /** The call fails, unless it is "wait for ready": such a call waits for the next picker. */
  record Fail(RpcStatus status) implements PickResult {}

  /** The call fails even when it is "wait for ready". */
  record Drop(RpcStatus status, Reason reason) implements PickResult {}

  enum Reason {
    /** The control plane configured a share of calls to be dropped (A27-10). */
    OVERLOAD_DROP,
    /** The number of calls in flight has reached the cluster's limit (A32). */
    CIRCUIT_BREAKER,
    /** The cluster does not exist or is unusable (A31-09). */
    NO_CLUSTER
  }
}
