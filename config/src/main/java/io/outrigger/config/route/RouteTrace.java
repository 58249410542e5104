package io.outrigger.config.route;

/** Receives the routes that a search tested, for explanations of the search's result. */
@FunctionalInterface
public interface RouteTrace {
  /**
   * Called for each route that the search tested.
   *
   * @param place the place of the route in its virtual host
   * @param miss the result of {@link RouteMatch#miss}
   */
  void onAsked(int place, int miss);
}
