package io.outrigger.lb.view;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.state.Connectivity;
import java.time.Instant;
import java.util.Optional;

/**
 * An event in a tree that matters to operators. Instances are immutable and may be used on any
 * thread.
 */
public sealed interface LbEvent
    permits LbEvent.PrioritySwitch,
        LbEvent.EndpointState,
        LbEvent.Outage,
        LbEvent.OutageOver,
        OutlierEvent {
  String cluster();

  /** The time of the event by the wall clock, for people. */
  Instant time();

  /** The endpoint of the event; empty for an event of the cluster. */
  default Optional<EndpointAddress> endpoint() {
    return Optional.empty();
  }

  /** Returns a text for people, without the names of the cluster and of the endpoint. */
  String text();

  /**
   * Calls move from one priority to another (A56) or, in an aggregate, from one cluster to another.
   * Both are given by their labels.
   *
   * @param reason why the previous priority is no longer in use
   */
  record PrioritySwitch(
      String cluster, Instant time, String from, String to, Connectivity state, String reason)
      implements LbEvent {
    @Override
    public String text() {
      return "%s is in use now (%s) instead of %s: %s".formatted(to, state, from, reason);
    }
  }

  /**
   * The connection to an endpoint was lost, cannot be made, or was made again. A connection that
   * cannot be made is reported once, however many attempts fail. The first connection of an
   * endpoint is not reported.
   *
   * @param cluster the cluster to which routes refer; for an endpoint of an aggregate, the
   *     aggregate cluster
   * @param reason the cause if the connection cannot be made; otherwise {@code OK}
   */
  record EndpointState(
      String cluster, Instant time, EndpointAddress address, Connectivity state, RpcStatus reason)
      implements LbEvent {
    @Override
    public Optional<EndpointAddress> endpoint() {
      return Optional.of(address);
    }

    @Override
    public String text() {
      return switch (state) {
        case READY -> "connected again";
        case TRANSIENT_FAILURE -> "cannot be connected to: " + reason.message();
        default -> "connection lost";
      };
    }
  }

  /**
   * Calls to a cluster fail, because none of its endpoints can be reached.
   *
   * @param endpoints the number of endpoints that calls may use
   * @param lastError the last connection error; empty if there was no connection error
   */
  record Outage(String cluster, Instant time, int endpoints, String lastError) implements LbEvent {
    @Override
    public String text() {
      return endpoints == 0
          ? reason()
          : "0 of " + endpoints + " endpoints can be reached; " + reason();
    }

    /** Returns the text without the number of endpoints, because that number may be outdated. */
    public String reason() {
      return endpoints == 0
          ? "calls fail, because no endpoint may be used"
          : "calls fail" + (lastError.isEmpty() ? "" : "; last error: " + lastError);
    }
  }

  /** Calls no longer fail: the cluster is READY, or is IDLE and connects at the next call. */
  record OutageOver(String cluster, Instant time, Connectivity state, int reachable, int endpoints)
      implements LbEvent {
    @Override
    public String text() {
      return "%d of %d endpoints can be %s"
          .formatted(
              reachable,
              endpoints,
              state == Connectivity.IDLE ? "tried; the next call connects" : "reached");
    }
  }
}
