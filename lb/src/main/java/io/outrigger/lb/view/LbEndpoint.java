package io.outrigger.lb.view;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.state.TransportSecurity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** An endpoint and its state, for status views. */
public record LbEndpoint(Backend backend, Link link, Detection detection) {
  /**
   * The connection to an endpoint.
   *
   * @param calls the counts of calls since the endpoint's subchannels were created
   * @param tls the TLS properties of the connection; empty without a TLS connection
   * @param failure the error in state TRANSIENT_FAILURE; empty in any other state
   */
  public record Link(
      Connectivity state, SubchannelCalls calls, Optional<TransportSecurity> tls, String failure) {
    public Link(Connectivity state, SubchannelCalls calls) {
      this(state, calls, Optional.empty(), "");
    }
  }

  public LbEndpoint(Backend backend, Link link) {
    this(backend, link, Detection.NONE);
  }

  public static LbEndpoint unconnected(Backend backend) {
    return new LbEndpoint(backend, new Link(Connectivity.IDLE, SubchannelCalls.NONE));
  }

  /** The endpoint's first address, which identifies the endpoint for people. */
  public EndpointAddress address() {
    return backend.endpoint().address();
  }

  public HealthStatus health() {
    return backend.endpoint().health();
  }

  public Connectivity state() {
    return link.state();
  }

  public SubchannelCalls calls() {
    return link.calls();
  }

  public LbEndpoint with(Detection next) {
    return new LbEndpoint(backend, link, next);
  }

  public LbEndpoint with(Link next) {
    return new LbEndpoint(backend, next, detection);
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
    public static final Detection NONE = new Detection(Optional.empty(), 0, 0, List.of());

    public Detection {
      history = List.copyOf(history);
    }
  }

  /**
   * A current ejection. The first sweep after the end time ({@code until}) ends the ejection. The
   * duration is the base ejection time multiplied by the endpoint's multiplier ({@code times}),
   * unless the maximum ejection time shortens it. An ejection adds 1 to the multiplier, and a sweep
   * that finds the endpoint in service subtracts 1.
   */
  public record Ejection(Instant since, Instant until, int times, OutlierEvent.Method by) {}
}
