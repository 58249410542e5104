package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.List;
import java.util.function.Consumer;

/** Looks DNS names up without blocking the control loop. */
@ControlConfined
public interface DnsLookup {
  /**
   * Looks {@code host} up once.
   *
   * @param host a DNS name or an IP literal
   * @param port given to every address of the answer
   * @param callback called on the control loop, at most once and after this returned, with at least
   *     one address or the reason why there is none
   */
  Query resolve(String host, int port, Consumer<Outcome<List<EndpointAddress>>> callback);

  /** A running look-up. */
  interface Query {
    /** Ends the look-up: its callback is not called any more. Does nothing after the answer. */
    void cancel();
  }
}
