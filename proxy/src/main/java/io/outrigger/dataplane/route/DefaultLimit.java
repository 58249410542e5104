package io.outrigger.dataplane.route;

import io.outrigger.base.Count;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.snapshot.XdsConfig;
import java.util.List;
import java.util.Optional;

/**
 * Finds the routes without a configured time limit. Calls of routes without a time limit end after
 * A31's default of 15 s, which surprises operators (CONTRACT section 5).
 */
public final class DefaultLimit {
  private static final int ROUTES_SHOWN = 5;

  private DefaultLimit() {}

  /**
   * Returns a warning that names the routes without a time limit; empty if there are none.
   *
   * @param ignoreRouteTimeout see {@link EffectiveTimeout#of}
   */
  public static Optional<String> warning(XdsConfig config, boolean ignoreRouteTimeout) {
    List<String> limited =
        config.virtualHost().routes().stream()
            .filter(route -> isLimited(route, config, ignoreRouteTimeout))
            .map(Route::label)
            .toList();
    if (limited.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        "calls end after %d s on %s without a limit of time: %s; %s"
            .formatted(
                EffectiveTimeout.DEFAULT_TIMEOUT.toSeconds(),
                Count.of(limited.size(), "route"),
                Count.list(limited, ROUTES_SHOWN),
                "set max_stream_duration or timeout there (0s: no limit), or give"
                    + " --ignore-route-timeout"));
  }

  private static boolean isLimited(Route route, XdsConfig config, boolean ignoreRouteTimeout) {
    return route.action() instanceof RouteAction.Forward forward
        && EffectiveTimeout.of(
                    forward.timeout(), config.listener().maxStreamDuration(), ignoreRouteTimeout)
                .source()
            == EffectiveTimeout.Source.DEFAULT_TIMEOUT;
  }
}
