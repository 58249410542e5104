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
 * @param address the endpoint's first, by which people know it
 * @param calls counted since its subchannels were made
 * @param detection the state of outlier detection for it
 * @param affinity the state of session affinity for it; empty in a cluster that had no sessions
 * @param tls of its connection; empty where there is none, or none with TLS
 * @param failure why it cannot be reached; empty in any other state
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
  /** An endpoint that can be reached, or was not tried, in a cluster that had no sessions. */
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

  /** An endpoint that outlier detection does not watch. */
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

  /** An endpoint to which no subchannel exists. */
  public static LbEndpoint untouched(Backend backend) {
    return of(backend, Connectivity.IDLE, SubchannelCalls.NONE);
  }

  /** The same endpoint, watched. */
  public LbEndpoint with(Detection watched) {
    return new LbEndpoint(
        address, locality, health, weight, state, calls, watched, affinity, tls, failure);
  }

  /** The same endpoint as session affinity sees it. */
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

  /** The same endpoint, whose connection the policies beneath do not know. */
  public LbEndpoint connected(Connectivity now, SubchannelCalls counted) {
    return new LbEndpoint(
        address, locality, health, weight, now, counted, detection, affinity, tls, failure);
  }

  /** The same endpoint, connected with TLS. */
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

  /** The same endpoint, which cannot be reached because of {@code reason}. */
  public LbEndpoint failing(String reason) {
    return new LbEndpoint(
        address, locality, health, weight, state, calls, detection, affinity, tls, reason);
  }

  /**
   * The state of outlier detection for an endpoint (A50).
   *
   * @param succeeded calls that ended well in the last whole interval
   * @param failed the others that ended in it
   * @param history its latest events, oldest first
   */
  public record Detection(
      Optional<Ejection> ejection, long succeeded, long failed, List<OutlierEvent> history) {
    /** For an endpoint that is not watched, or has no history. */
    public static final Detection NONE = new Detection(Optional.empty(), 0, 0, List.of());

    public Detection {
      history = List.copyOf(history);
    }
  }

  /**
   * The owner of the connection to an endpoint (A75).
   *
   * @param lastUse the last call of a session that was picked there; empty when there was none
   * @param closes when the connection ends that only sessions keep, if none uses it until then
   */
  public record Affinity(Owner owner, Optional<Instant> lastUse, Optional<Instant> closes) {}

  /** The owner of a connection. */
  public enum Owner {
    /** There is none. */
    NOBODY,
    /** The policy that balances the endpoint. */
    BALANCER,
    /** Sessions alone. */
    SESSIONS
  }

  /**
   * An ejection in force.
   *
   * @param until the first sweep after this ends it
   * @param times how many base ejection times it lasts: one more for each that followed too soon
   */
  public record Ejection(Instant since, Instant until, int times, OutlierEvent.Method by) {}
}
