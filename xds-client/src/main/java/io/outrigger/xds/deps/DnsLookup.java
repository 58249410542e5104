package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.EndpointAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Looks up DNS names without blocking the control loop. */
@ControlConfined
public interface DnsLookup {
  /**
   * Looks up a name once.
   *
   * @param host the DNS name or IP literal
   * @param port the port of every address in the result
   * @param callback called at most once, on the control loop, after this method has returned; gets
   *     the addresses or the reason of the failure
   * @return an action that ends the lookup, so that the callback is not called
   */
  Runnable resolve(String host, int port, Consumer<Outcome<Answer>> callback);

  /**
   * The addresses of a name.
   *
   * @param addresses at least one address
   * @param ttl the time for which the addresses may be cached; zero for addresses not from DNS
   * @param isPartial whether the lookup of an address family has failed, so that its addresses are
   *     missing
   */
  record Answer(List<EndpointAddress> addresses, Duration ttl, boolean isPartial) {
    public Answer {
      addresses = List.copyOf(addresses);
    }
  }
}
