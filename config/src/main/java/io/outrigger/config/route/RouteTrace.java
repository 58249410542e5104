package io.outrigger.config.route;

/** Hears how a route was found; for explanations. */
@FunctionalInterface
public interface RouteTrace {
  /**
   * A route was asked. Those between two that were asked cannot match the path.
   *
   * @param place as {@link RouteIndex#route} has it
   * @param miss see {@link RouteMatch#miss}
   */
  void onAsked(int place, int miss);
}
