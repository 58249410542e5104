package io.outrigger.config.route;

/** Receives the routes that were compared with a request, to explain the choice of a route. */
@FunctionalInterface
public interface RouteTrace {
  /**
   * @param index the index of the route in {@code VirtualHost.routes}
   * @param miss the result of {@link RouteMatch#miss}
   */
  void onCompared(int index, int miss);
}
