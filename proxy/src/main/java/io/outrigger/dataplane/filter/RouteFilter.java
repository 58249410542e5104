package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.route.RequestView;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * An HTTP filter of one route, with the route's overrides applied (A39). A filter is immutable;
 * {@link FilteredCall#session} or the returned step holds the state of one call.
 */
@AnyThread
public interface RouteFilter {
  /**
   * The decision of a filter about a request, for explanations.
   *
   * @param filter the name of the HTTP filter in the listener; empty when the proxy itself refuses
   *     the request
   * @param action the action of the filter's policies; empty if the filter has no policies
   * @param policy the policy that decides; empty when no policy matches
   * @param refusal the answer to the request; empty when the filter passes the request
   */
  record Verdict(
      String filter, String action, Optional<String> policy, Optional<FilterStep.Answer> refusal) {}

  /** Handles a routed request, before any pick. */
  default FilterStep onRequest(FilteredCall call) {
    return FilterStep.PROCEED;
  }

  /**
   * Handles the final response headers of a backend, before they are sent to the app. Filters are
   * called in reverse order. No filter is called for a response that the proxy itself generates.
   *
   * @param fields called with the name (in lower case) and the value of each response header to add
   */
  default void onResponse(FilteredCall call, BiConsumer<String, String> fields) {}

  /**
   * Returns the possible effects of {@link #onRequest} on a request of a forward, without changing
   * any state; empty when the filter would do nothing.
   *
   * @param clusters the clusters of the route
   */
  default Optional<FilterPlan> plan(RequestView request, Set<String> clusters) {
    return Optional.empty();
  }

  /**
   * Returns the decision of {@link #onRequest} about a request to a served listener, without
   * changing any state; empty for a filter that never refuses requests.
   */
  default Optional<Verdict> judge(AuthorizationInput input) {
    return Optional.empty();
  }
}
