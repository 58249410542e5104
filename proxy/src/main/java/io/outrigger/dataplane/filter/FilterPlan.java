package io.outrigger.dataplane.filter;

import io.outrigger.config.endpoint.EndpointAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Describes for explanations what a filter may do to a request.
 *
 * @param effects descriptions of what the filter may do to the request, by name of the effect and
 *     in order; empty when the filter leaves the request unchanged
 * @param session the session of the request; empty when the filter assigns no session
 */
public record FilterPlan(String kind, Map<String, String> effects, Optional<AskedSession> session) {
  public FilterPlan {
    effects = Collections.unmodifiableMap(new LinkedHashMap<>(effects));
  }

  /**
   * The session that a request's cookie requests (A55, A60).
   *
   * @param cluster the cluster that the cookie names; may be empty, or a cluster that the route
   *     does not have
   * @param taken the route's cluster that the cookie selects; empty without such a cluster
   * @param addresses the addresses that the cookie names in order of preference; empty for a new
   *     session
   */
  public record AskedSession(
      String cookie, String cluster, String taken, List<EndpointAddress> addresses) {
    public AskedSession {
      addresses = List.copyOf(addresses);
    }
  }
}
