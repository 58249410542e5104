package io.outrigger.xds.local;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.core.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.config.listener.v3.ApiListener;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.outrigger.base.AnyThread;

/**
 * The Listener of a target that no control plane serves: one route, for every path, to one cluster.
 * As with a gRPC client of that target, calls have no timeout, no request limit and no retries.
 * Every field that local policy may set is unset.
 */
@AnyThread
public final class DirectListener {
  private DirectListener() {}

  public static Listener to(String target) {
    var route =
        Route.newBuilder()
            .setName(target)
            .setMatch(RouteMatch.newBuilder().setPrefix(""))
            .setRoute(RouteAction.newBuilder().setCluster(target));
    var routes =
        RouteConfiguration.newBuilder()
            .setName(target)
            .addVirtualHosts(
                VirtualHost.newBuilder().setName(target).addDomains("*").addRoutes(route));
    var manager =
        HttpConnectionManager.newBuilder()
            .setCommonHttpProtocolOptions( // A31: zero means no limit
                HttpProtocolOptions.newBuilder()
                    .setMaxStreamDuration(Duration.getDefaultInstance()))
            .setRouteConfig(routes)
            .addHttpFilters(
                HttpFilter.newBuilder()
                    .setName("router")
                    .setTypedConfig(Any.pack(Router.getDefaultInstance())));
    return Listener.newBuilder()
        .setName(target)
        .setApiListener(ApiListener.newBuilder().setApiListener(Any.pack(manager.build())))
        .build();
  }
}
