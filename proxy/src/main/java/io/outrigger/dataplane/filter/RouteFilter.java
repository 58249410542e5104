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
   * called in reverse order, and not for answers of the proxy.
   *
   * @param fields adds a field with a name, in lower case, and a value
   */
  default void onResponse(FilteredCall call, BiConsumer<String, String> fields) {}

  /**
   * Describes the possible effects of {@link #onRequest} on a request of a forward, without any
   * effect; empty when there are none.
   *
   * @param clusters the clusters of the route
   */
  default Optional<FilterPlan> plan(RequestView request, Set<String> clusters) {
    return Optional.empty();
  }

  /**
   * Decides about a request to a served listener as {@link #onRequest} does, without any effect;
   * empty when the filter refuses no request.
   */
  default Optional<Verdict> judge(AuthorizationInput input) {
    return Optional.empty();
  }
}
