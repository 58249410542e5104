package io.outrigger.dataplane.filter;

import io.outrigger.config.endpoint.EndpointAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The possible effects of a filter on a request, for explanations.
 *
 * @param effects the name and the description of each effect, in order
 * @param session the session that the filter assigns; empty when it assigns no session
 */
public record FilterPlan(
    String kind, Map<String, String> effects, Optional<CookieSession> session) {
  public FilterPlan {
    effects = Collections.unmodifiableMap(new LinkedHashMap<>(effects));
  }

  /**
   * The session of a request, according to its cookie (A55, A60).
   *
   * @param cluster the cluster in the cookie, even if the route lacks it; may be empty
   * @param routeCluster the route's cluster that the cookie names; empty if the route lacks it
   * @param addresses the addresses in the cookie, the preferred first; empty for a new session
   */
  public record CookieSession(
      String cookie, String cluster, String routeCluster, List<EndpointAddress> addresses) {
    public CookieSession {
      addresses = List.copyOf(addresses);
    }
  }
}
