package io.outrigger.xds.local;

import io.envoyproxy.envoy.config.core.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.config.listener.v3.ApiListener;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.outrigger.xds.decode.WireMessage;

/**
 * The Listener of a target that no control plane serves: one route, for every path, to one cluster.
 * Calls have no timeout, no request limit and no retries, as in a gRPC client without xDS.
 */
public final class DirectListener {
  private static final String FILTERS = "envoy.extensions.filters.";

  private DirectListener() {}

  public static WireMessage to(String target) {
    var route =
        new WireMessage()
            .text(Route.NAME_FIELD_NUMBER, target)
            .message(
                Route.MATCH_FIELD_NUMBER,
                new WireMessage().text(RouteMatch.PREFIX_FIELD_NUMBER, ""))
            .message(
                Route.ROUTE_FIELD_NUMBER,
                new WireMessage().text(RouteAction.CLUSTER_FIELD_NUMBER, target));
    var host =
        new WireMessage()
            .text(VirtualHost.NAME_FIELD_NUMBER, target)
            .text(VirtualHost.DOMAINS_FIELD_NUMBER, "*")
            .message(VirtualHost.ROUTES_FIELD_NUMBER, route);
    var routes =
        new WireMessage()
            .text(RouteConfiguration.NAME_FIELD_NUMBER, target)
            .message(RouteConfiguration.VIRTUAL_HOSTS_FIELD_NUMBER, host);
    var router =
        new WireMessage()
            .text(HttpFilter.NAME_FIELD_NUMBER, "router")
            .packed(
                HttpFilter.TYPED_CONFIG_FIELD_NUMBER,
                FILTERS + "http.router.v3.Router",
                new WireMessage());
    var manager =
        new WireMessage()
            .message(
                HttpConnectionManager.COMMON_HTTP_PROTOCOL_OPTIONS_FIELD_NUMBER,
                new WireMessage()
                    .message( // A31: zero means no limit
                        HttpProtocolOptions.MAX_STREAM_DURATION_FIELD_NUMBER, new WireMessage()))
            .message(HttpConnectionManager.ROUTE_CONFIG_FIELD_NUMBER, routes)
            .message(HttpConnectionManager.HTTP_FILTERS_FIELD_NUMBER, router);
    return new WireMessage()
        .text(Listener.NAME_FIELD_NUMBER, target)
        .message(
            Listener.API_LISTENER_FIELD_NUMBER,
            new WireMessage()
                .packed(
                    ApiListener.API_LISTENER_FIELD_NUMBER,
                    FILTERS + "network.http_connection_manager.v3.HttpConnectionManager",
                    manager));
  }
}
