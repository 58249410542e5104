package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import org.jspecify.annotations.Nullable;

/**
 * The result of a pick. Where possible, pickers create results in advance and share them among
 * calls.
 */
public sealed interface PickResult {
  /**
   * The call uses a subchannel. The receiver of the result must call {@link Subchannel#callEnded}
   * exactly once on the subchannel. {@code PickResult.Use} objects are compared by identity.
   */
  @AnyThread
  final class Use implements PickResult {
    private final Subchannel subchannel;
    private final @Nullable CircuitBreaker breaker;

    /**
     * The last result of {@link #countedBy}. This field is written without synchronization, which
     * is safe because a reader sees either the old or the new result.
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
     * Returns a result that uses the same subchannel and releases a breaker at the end of the call.
     * The caller has already acquired this breaker for the call. The breaker is released even if
     * the cluster's breaker was replaced during the call (A32-09). The result is created once per
     * breaker, not once per call.
     */
    public Use countedBy(CircuitBreaker breaker) {
      Use last = counted;
      if (last == null || last.breaker != breaker) {
        last = new Use(new Limited(subchannel, breaker), breaker);
        counted = last;
      }
      return last;
    }

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
   * The picker cannot decide yet, so the call waits for the next picker (A121 "LB Pick Delays").
   *
   * @param delayType the kind of the delay, such as {@code connecting}
   * @param reason a text for people that names the policy, then the cause of the delay
   */
  record Queue(String delayType, String reason) implements PickResult {
    public static Queue connecting(String reason) {
      return new Queue("connecting", reason);
    }
  }

  /**
   * The call fails, or waits for the next picker if it is "wait for ready".
   *
   * @param isOfConfig whether the cause is the configuration of the cluster; if so, the call is not
   *     retried
   */
  record Fail(RpcStatus status, boolean isOfConfig) implements PickResult {
    public Fail(RpcStatus status) {
      this(status, false);
    }
  }

  /** The call fails even when it is "wait for ready". */
  record Drop(RpcStatus status, Reason reason) implements PickResult {}

  enum Reason {
    /** The control plane has configured that a share of the calls is dropped (A27-10). */
    OVERLOAD_DROP,
    /** The number of calls in flight has reached the cluster's limit (A32). */
    CIRCUIT_BREAKER,
    /** The cluster does not exist (A31-09). */
    NO_CLUSTER
  }
}
