package io.outrigger.xds.serving;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.RouteTable;
import java.util.Map;
import java.util.Optional;

/** The state of an address that this process serves (A36). */
@AnyThread
public sealed interface ServingState {
  /**
   * The control plane has not answered yet.
   *
   * @param reason the missing resource, or the reason why the control plane does not answer
   */
  record Waiting(String reason) implements ServingState {}

  /**
   * The address can be served with this configuration.
   *
   * @param routes the route configurations that the chains name, by resource name; a failure has a
   *     status that callers may receive (A36)
   */
  record Serving(SocketListener listener, Map<String, Outcome<RouteTable>> routes)
      implements ServingState {
    public Serving {
      routes = Map.copyOf(routes);
    }

    /** Returns the routes of a filter chain, or the reason why all requests on this chain fail. */
    public Outcome<RouteTable> routesOf(ServerFilterChain chain) {
      return chain
          .routes()
          .match(Outcome::ok, name -> Optional.ofNullable(routes.get(name)).orElseThrow());
    }
  }

  /**
   * The control plane has answered, but there is no Listener that can be served.
   *
   * @param reason names the Listener, the error and the remedy
   */
  record NotServing(String reason) implements ServingState {}
}
