package io.outrigger.lb.view;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.state.Connectivity;
import java.time.Instant;

/** What happens in a tree, as operators want to hear of it. Immutable; any thread. */
public sealed interface LbEvent
    permits LbEvent.PrioritySwitch, LbEvent.EndpointState, OutlierEvent {
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
   * A connection changed so that it matters to calls: it was lost, it cannot be made (said once,
   * however often it is tried), or it is there again. A first connection is no news.
   *
   * @param cluster as routes know it: of an aggregate, the aggregate
   * @param reason why it cannot be made; {@code OK} otherwise
   */
  record EndpointState(
      String cluster, Instant time, EndpointAddress address, Connectivity state, RpcStatus reason)
      implements LbEvent {}
}
