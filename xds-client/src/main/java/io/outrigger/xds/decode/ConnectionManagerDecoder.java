package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.RouteSource;
import java.util.List;
import java.util.Optional;

/** Decodes the part of {@code HttpConnectionManager} that clients and servers share (A27, A39). */
final class ConnectionManagerDecoder {
  static final String TYPE =
      "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

  private ConnectionManagerDecoder() {}

  record Manager(RouteSource routes, List<HttpFilter> filters) {}

  /**
   * @param known the supported filters: those of clients, or those of servers
   */
  static Optional<Manager> decode(
      HttpConnectionManager proto,
      ByteString bytes,
      FilterDecoders known,
      DecodeContext context,
      FieldErrors errors) {
    // A41 forbids each field that changes the apparent source of a request.
    if (proto.getXffNumTrustedHops() != 0) {
      errors.at("xff_num_trusted_hops").add("is not supported; must be 0");
    }
    if (proto.getOriginalIpDetectionExtensionsCount() > 0) {
      errors.at("original_ip_detection_extensions").add("is not supported; must be empty");
    }
    Optional<RouteSource> routes = routes(proto, bytes, context, errors);
    List<HttpFilter> filters = HttpFilterDecoder.chain(proto.getHttpFiltersList(), known, errors);
    return routes.map(source -> new Manager(source, filters));
  }

  private static Optional<RouteSource> routes(
      HttpConnectionManager proto, ByteString bytes, DecodeContext context, FieldErrors errors) {
    return switch (proto.getRouteSpecifierCase()) {
      case RDS -> {
        FieldErrors here = errors.at("rds");
        ClusterSourceDecoder.requireAdsOrSelf(
            proto.getRds().hasConfigSource(),
            proto.getRds().getConfigSource(),
            here.at("config_source"));
        if (proto.getRds().getRouteConfigName().isEmpty()) {
          here.at("route_config_name").add("is empty");
        }
        yield Optional.of(new RouteSource.Rds(proto.getRds().getRouteConfigName()));
      }
      case ROUTE_CONFIG -> {
        boolean overridden =
            RouteMaps.haveOverrides(bytes, HttpConnectionManager.ROUTE_CONFIG_FIELD_NUMBER);
        yield OverlayDecoder.routes(
                proto.getRouteConfig(), overridden, context, errors.at("route_config"))
            .map(RouteSource.Inline::new);
      }
      case SCOPED_ROUTES ->
          errors.at("scoped_routes").refuse("is not supported; use rds or route_config");
      case ROUTESPECIFIER_NOT_SET -> errors.refuse("neither rds nor route_config");
    };
  }
}
