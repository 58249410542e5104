package io.outrigger.lb;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.List;

/**
 * The endpoints that a session prefers, and the endpoint that it got: the "pick argument" of A55,
 * A75's {@code override_host_attribute}. The addresses do not include proxies (A86).
 */
@LoopConfined
public interface SessionHint {
  /**
   * The endpoints that the session's calls used before, the best first; empty for a session that
   * begins.
   */
  List<EndpointAddress> preferred();

  /**
   * Called when a pick chose an endpoint. When a call is picked several times, the last pick
   * counts.
   *
   * @param addresses all addresses of the endpoint, beginning with the connected address
   */
  void picked(List<EndpointAddress> addresses);
}
