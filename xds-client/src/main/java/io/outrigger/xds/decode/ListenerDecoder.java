package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.listener.ListenerResource.RouteSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Decodes {@code Listener}, which must be an API listener with an HTTP connection manager (A27
 * "Listener Proto", A39).
 */
final class ListenerDecoder {
  static final String CONNECTION_MANAGER =
      "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";

  private static final String REMEDY =
      "is missing: a listener with sockets and filter chains is for a server, a client needs an"
          + " API listener; put the HttpConnectionManager of the filter chain into"
          + " {\"api_listener\":{\"api_listener\":{\"@type\":\"type.googleapis.com/"
          + CONNECTION_MANAGER
          + "\",…}}}";

  private ListenerDecoder() {}

  static Optional<ListenerResource> decode(
      Listener proto, ByteString bytes, DecodeContext context, FieldErrors errors) {
    FieldErrors here = errors.at("api_listener");
    if (!proto.hasApiListener() || !proto.getApiListener().hasApiListener()) {
      here.add(REMEDY);
      return Optional.empty();
    }
    Any any = proto.getApiListener().getApiListener();
    FieldErrors inside = here.at("api_listener");
    String type = TypedConfig.typeName(any.getTypeUrl());
    if (!type.equals(CONNECTION_MANAGER)) {
      inside.add("holds " + quoted(type) + "; must be " + CONNECTION_MANAGER);
      return Optional.empty();
    }
    return TypedConfig.read(any, HttpConnectionManager.getDefaultInstance(), inside)
        .flatMap(
            manager ->
                connectionManager(proto.getName(), manager, any.getValue(), context, inside));
  }

  private static Optional<ListenerResource> connectionManager(
      String name,
      HttpConnectionManager proto,
      ByteString bytes,
      DecodeContext context,
      FieldErrors errors) {
    // Both fields change the apparent source of a request; A41 rejects them.
    if (proto.getXffNumTrustedHops() != 0) {
      errors.at("xff_num_trusted_hops").add("is not supported; must be 0");
    }
    if (proto.getOriginalIpDetectionExtensionsCount() > 0) {
      errors.at("original_ip_detection_extensions").add("is not supported; must be empty");
    }
    Optional<RouteSource> routes = routes(proto, bytes, context, errors);
    List<HttpFilter> filters = HttpFilterDecoder.chain(proto.getHttpFiltersList(), errors);
    Optional<Duration> maxStreamDuration = maxStreamDuration(proto, errors);
    return routes.map(source -> new ListenerResource(name, source, filters, maxStreamDuration));
  }

  private static Optional<RouteSource> routes(
      HttpConnectionManager proto, ByteString bytes, DecodeContext context, FieldErrors errors) {
    return switch (proto.getRouteSpecifierCase()) {
      case RDS -> {
        FieldErrors here = errors.at("rds");
        ConfigSources.requireAdsOrSelf(
            proto.getRds().hasConfigSource(),
            proto.getRds().getConfigSource(),
            here.at("config_source"));
        if (proto.getRds().getRouteConfigName().isEmpty()) {
          here.at("route_config_name").add("is empty");
        }
        yield Optional.of(new RouteSource.Rds(proto.getRds().getRouteConfigName()));
      }
      case ROUTE_CONFIG -> {
        var maps = RouteMaps.of(bytes, HttpConnectionManager.ROUTE_CONFIG_FIELD_NUMBER);
        yield RouteOverlays.decode(proto.getRouteConfig(), maps, context, errors.at("route_config"))
            .map(RouteSource.Inline::new);
      }
      case SCOPED_ROUTES -> {
        errors.at("scoped_routes").add("is not supported; use rds or route_config");
        yield Optional.empty();
      }
      case ROUTESPECIFIER_NOT_SET -> {
        errors.add("neither rds nor route_config");
        yield Optional.empty();
      }
    };
  }

  private static Optional<Duration> maxStreamDuration(
      HttpConnectionManager proto, FieldErrors errors) {
    var options = proto.getCommonHttpProtocolOptions();
    if (!options.hasMaxStreamDuration()) {
      return Optional.empty();
    }
    return ProtoDurations.decode(
        options.getMaxStreamDuration(),
        errors.at("common_http_protocol_options").at("max_stream_duration"));
  }
}
