package io.outrigger.xds.serving;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.RouteTable;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration of a served address.
 *
 * @param routes the route configurations that the chains name, by resource name; a failure has a
 *     status that callers may receive (A36)
 */
@AnyThread
public record ServingConfig(SocketListener listener, Map<String, Outcome<RouteTable>> routes) {
  public ServingConfig {
    routes = Map.copyOf(routes);
  }

  /** Returns the routes of one of the Listener's chains, or why all its requests fail. */
  public Outcome<RouteTable> routesOf(ServerFilterChain chain) {
    if (chain.routes() instanceof RouteSource.Inline inline) {
      return Outcome.ok(inline.table());
    }
    if (chain.routes() instanceof RouteSource.Rds rds) {
      return Optional.ofNullable(routes.get(rds.name())).orElseThrow();
    }
    throw new AssertionError(chain.routes());
  }
}
