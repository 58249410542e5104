package io.outrigger.lb;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.List;

/**
 * The endpoints that a session prefers, and the one that it got: the "pick argument" of A55, A75's
 * {@code override_host_attribute}. Addresses are without proxies (A86).
 */
@LoopConfined
public interface SessionHint {
  /** Where the session's calls went before, the best first; empty for a session that begins. */
  List<EndpointAddress> preferred();

  /**
   * A pick chose an endpoint. Of several picks of a call the last one counts.
   *
   * @param addresses all of the endpoint's, that of the connection first
   */
  void picked(List<EndpointAddress> addresses);
}
