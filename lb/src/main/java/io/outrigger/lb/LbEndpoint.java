package io.outrigger.lb;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;

/**
 * An endpoint as status views show it.
 *
 * @param address the endpoint's first, by which people know it
 * @param calls counted since its subchannels were made
 */
public record LbEndpoint(
    EndpointAddress address,
    Locality locality,
    HealthStatus health,
    long weight,
    Connectivity state,
    CallTotals calls) {
  public static LbEndpoint of(Backend backend, Connectivity state, CallTotals calls) {
    var endpoint = backend.endpoint();
    return new LbEndpoint(
        endpoint.address(), backend.locality(), endpoint.health(), endpoint.weight(), state, calls);
  }

  /** An endpoint to which no subchannel exists. */
  public static LbEndpoint untouched(Backend backend) {
    return of(backend, Connectivity.IDLE, CallTotals.NONE);
  }
}
