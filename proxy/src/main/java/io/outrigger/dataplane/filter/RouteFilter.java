package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.route.RequestView;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * An HTTP filter of one route, with the route's overrides applied (A39). Immutable: state of one
 * call belongs in the call ({@link FilteredCall#session}) or in the returned step.
 */
@AnyThread
public interface RouteFilter {
  /**
   * The decision of a filter about a request, for explanations.
   *
   * @param filter the name of the HTTP filter in the listener; empty for a refusal by the proxy
   * @param action the action of the filter's policies; empty without policies
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
   * called in reverse order, and are not called for answers of the proxy.
   *
   * @param fields adds a response header; takes its name in lower case, and its value
   */
  default void onResponse(FilteredCall call, BiConsumer<String, String> fields) {}

  /**
   * Describes what {@link #onRequest} could do with a request of a forward, and does not change any
   * state. Empty when the filter would do nothing.
   *
   * @param clusters the clusters of the route
   */
  default Optional<FilterPlan> plan(RequestView request, Set<String> clusters) {
    return Optional.empty();
  }

  /**
   * Returns the decision of {@link #onRequest} about a request to a served listener, and does not
   * change any state. Empty for a filter that never refuses requests.
   */
  default Optional<Verdict> judge(AuthorizationInput input) {
    return Optional.empty();
  }
}
