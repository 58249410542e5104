package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.route.RequestView;
import java.util.Set;

/**
 * An HTTP filter as one route has it, with the route's overrides applied (A39): made when routes
 * are published, immutable, shared by event loops. What a filter must remember of a call is in the
 * call ({@link FilteredCall#session}) or in the step that it returned.
 */
@AnyThread
public interface RouteFilter {
  /**
   * A request has its route, and the filters before this one have let it pass. Once per request,
   * before any pick.
   *
   * @return what is to become of it; {@link FilterStep#PROCEED} asks the next filter
   */
  default FilterStep onRequest(FilteredCall call) {
    return FilterStep.PROCEED;
  }

  /**
   * The final head of the backend's response is about to go to the app; not for answers that the
   * proxy makes itself. The last filter is asked first.
   */
  default void onResponse(FilteredCall call, HeaderEdits head) {}

  /**
   * What {@link #onRequest} may do to such a request, without doing it: nothing is drawn, counted
   * or held back.
   *
   * @param clusters that the route may choose
   */
  FilterPlan plan(RequestView request, Set<String> clusters);
}
