package io.outrigger.config.route;

/** Receives the routes that a search tested, for explanations of the search's result. */
@FunctionalInterface
public interface RouteTrace {
  /**
   * Called for each route that the search tested. The search skips a route only if the route cannot
   * match the path.
   *
   * @param place the place of the route (see {@link RouteIndex#route})
   * @param miss the result of {@link RouteMatch#miss}
   */
  void onAsked(int place, int miss);
}
