package io.outrigger.lb;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.List;

/**
 * The session of a call: its preferred endpoints, and a callback for the picked endpoint (A55's
 * "pick argument", A75's {@code override_host_attribute}). The addresses contain no HTTP proxies
 * (A86).
 */
@LoopConfined
public interface SessionHint {
  /**
   * The endpoints that earlier calls of the session used, the best first; empty for a new session.
   */
  List<EndpointAddress> preferred();

  /**
   * Called when a pick chose an endpoint. If a call makes several picks, the last picked endpoint
   * replaces the earlier ones.
   *
   * @param addresses all addresses of the endpoint, beginning with the connected address
   */
  void picked(List<EndpointAddress> addresses);
}
