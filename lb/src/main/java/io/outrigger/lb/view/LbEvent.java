package io.outrigger.lb.view;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.state.Connectivity;
import java.time.Instant;

/** An event in a tree that matters to operators. Immutable; any thread. */
public sealed interface LbEvent
    permits LbEvent.PrioritySwitch,
        LbEvent.EndpointState,
        LbEvent.Outage,
        LbEvent.OutageOver,
        OutlierEvent {
  /** Where it happened. */
  String cluster();

  /** By the wall clock, for people. */
  Instant time();

  /**
   * Another priority gets the calls (A56); of an aggregate, another cluster.
   *
   * @param from what people call the one before
   * @param to what people call the one that is in use now
   * @param reason why the one before is no longer in use
   */
  record PrioritySwitch(
      String cluster, Instant time, String from, String to, Connectivity state, String reason)
      implements LbEvent {}

  /**
   * A connection changed so that it matters to calls: it was lost, it cannot be made (reported
   * once, however often it is tried), or it is there again. A first connection is not reported.
   *
   * @param cluster as routes know it: of an aggregate, the aggregate
   * @param reason why it cannot be made; {@code OK} otherwise
   */
  record EndpointState(
      String cluster, Instant time, EndpointAddress address, Connectivity state, RpcStatus reason)
      implements LbEvent {}

  /**
   * None of the endpoints can be reached: calls fail.
   *
   * @param endpoints how many there are that calls may use; 0 where there is none
   * @param lastError of the connection that failed last; empty when none was tried
   */
  record Outage(String cluster, Instant time, int endpoints, String lastError) implements LbEvent {
    /** For people. */
    public String text() {
      return endpoints == 0
          ? reason()
          : "0 of " + endpoints + " endpoints can be reached; " + reason();
    }

    /** For people, without the number of endpoints, which may have changed since. */
    public String reason() {
      return endpoints == 0
          ? "calls fail, there is no endpoint that they may use"
          : "calls fail" + (lastError.isEmpty() ? "" : "; last error: " + lastError);
    }
  }

  /** An endpoint can be reached again after an {@link Outage}. */
  record OutageOver(String cluster, Instant time, int reachable, int endpoints) implements LbEvent {
    /** For people. */
    public String text() {
      return reachable + " of " + endpoints + " endpoints can be reached";
    }
  }
}
