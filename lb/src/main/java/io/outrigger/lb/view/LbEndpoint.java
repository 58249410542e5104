package io.outrigger.lb.view;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.state.TransportSecurity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An endpoint as status views show it.
 *
 * @param address the endpoint's first address, which identifies the endpoint for people
 * @param calls the counts of calls since the endpoint's subchannels were created
 * @param detection the state of outlier detection for the endpoint
 * @param affinity the state of session affinity for the endpoint; empty in a cluster without
 *     sessions
 * @param tls the TLS properties of the endpoint's connection; empty without a TLS connection
 * @param failure the reason why the endpoint cannot be reached; empty in any other state
 */
public record LbEndpoint(
    EndpointAddress address,
    Locality locality,
    HealthStatus health,
    long weight,
    Connectivity state,
    SubchannelCalls calls,
    Detection detection,
    Optional<Affinity> affinity,
    Optional<TransportSecurity> tls,
    String failure) {
  /** Creates an endpoint that can be reached, or was not tried, in a cluster without sessions. */
  public LbEndpoint(
      EndpointAddress address,
      Locality locality,
      HealthStatus health,
      long weight,
      Connectivity state,
      SubchannelCalls calls,
      Detection detection) {
    this(
        address,
        locality,
        health,
        weight,
        state,
        calls,
        detection,
        Optional.empty(),
        Optional.empty(),
        "");
  }

  /** Creates an endpoint that outlier detection does not watch. */
  public static LbEndpoint of(Backend backend, Connectivity state, SubchannelCalls calls) {
    var endpoint = backend.endpoint();
    return new LbEndpoint(
        endpoint.address(),
        backend.locality(),
        endpoint.health(),
        endpoint.weight(),
        state,
        calls,
        Detection.NONE);
  }

  /** Creates an endpoint without a subchannel. */
  public static LbEndpoint untouched(Backend backend) {
    return of(backend, Connectivity.IDLE, SubchannelCalls.NONE);
  }

  /** Returns the same endpoint with the outlier detection state {@code watched}. */
  public LbEndpoint with(Detection watched) {
    return new LbEndpoint(
        address, locality, health, weight, state, calls, watched, affinity, tls, failure);
  }

  /** Returns the same endpoint with the session affinity state {@code seen}. */
  public LbEndpoint with(Affinity seen) {
    return new LbEndpoint(
        address,
        locality,
        health,
        weight,
        state,
        calls,
        detection,
        Optional.of(seen),
        tls,
        failure);
  }

  /**
   * Returns the same endpoint with the state and calls of a connection that the policies beneath do
   * not know.
   */
  public LbEndpoint connected(Connectivity now, SubchannelCalls counted) {
    return new LbEndpoint(
        address, locality, health, weight, now, counted, detection, affinity, tls, failure);
  }

  /** Returns the same endpoint with the TLS properties {@code by}. */
  public LbEndpoint secured(TransportSecurity by) {
    return new LbEndpoint(
        address,
        locality,
        health,
        weight,
        state,
        calls,
        detection,
        affinity,
        Optional.of(by),
        failure);
  }

  /** Returns the same endpoint, which cannot be reached because of {@code reason}. */
  public LbEndpoint failing(String reason) {
    return new LbEndpoint(
        address, locality, health, weight, state, calls, detection, affinity, tls, reason);
  }

  /**
   * The state of outlier detection for an endpoint (A50).
   *
   * @param succeeded the number of calls that succeeded in the last complete interval
   * @param failed the number of calls that failed in the last complete interval
   * @param history the latest events of the endpoint, oldest first
   */
  public record Detection(
      Optional<Ejection> ejection, long succeeded, long failed, List<OutlierEvent> history) {
    /** The state of an endpoint that is not watched, or has no history. */
    public static final Detection NONE = new Detection(Optional.empty(), 0, 0, List.of());

    public Detection {
      history = List.copyOf(history);
    }
  }

  /**
   * The owner of the connection to an endpoint (A75).
   *
   * @param lastUse the time of the last pick of this endpoint for a session; empty when no session
   *     used it
   * @param closes when a connection that is kept only for sessions is closed, if no session uses it
   *     until then
   */
  public record Affinity(Owner owner, Optional<Instant> lastUse, Optional<Instant> closes) {}

  /** The owner of a connection. */
  public enum Owner {
    /** The connection has no owner. */
    NOBODY,
    /** The owner is the policy that balances the endpoint. */
    BALANCER,
    /** The connection is kept only for sessions. */
    SESSIONS
  }

  /**
   * An ejection in force.
   *
   * @param until the first sweep after this time ends the ejection
   * @param times the ejection's duration in base ejection times: one more for each ejection that
   *     followed too soon
   */
  public record Ejection(Instant since, Instant until, int times, OutlierEvent.Method by) {}
}
