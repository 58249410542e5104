package io.outrigger.dataplane.filter;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.FilterConfig;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a filter may do to a request, for explanations.
 *
 * @param kind the filter, in a word
 * @param effects what may happen to the request, for people, by name and in order; empty when the
 *     request passes as if the filter were not there
 * @param notKnowable what only sending can tell, in lines
 * @param session that the request belongs to; empty when the filter gives it none
 */
public record FilterPlan(
    String kind,
    FilterConfig settings,
    Map<String, String> effects,
    List<String> notKnowable,
    Optional<AskedSession> session) {
  public FilterPlan {
    effects = Collections.unmodifiableMap(new LinkedHashMap<>(effects));
    notKnowable = List.copyOf(notKnowable);
  }

  /**
   * What the cookie of a request says (A55, A60).
   *
   * @param cookie its name
   * @param cluster that it names; may be empty, or none of the route's
   * @param taken the route's cluster that the call goes to for that; empty when it names none
   * @param addresses that it names, the best first; empty when the session begins with the request
   */
  public record AskedSession(
      String cookie, String cluster, String taken, List<EndpointAddress> addresses) {
    public AskedSession {
      addresses = List.copyOf(addresses);
    }
  }
}
