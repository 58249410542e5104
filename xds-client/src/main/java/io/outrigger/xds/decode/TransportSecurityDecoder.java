package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport;
import io.envoyproxy.envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer;
import io.outrigger.config.endpoint.TransportSettings;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.UpstreamTls;
import java.util.Optional;

/**
 * Decodes {@code transport_socket} of clusters and servers (A29, A86). Clusters support plain text
 * and TLS, each directly or through an HTTP CONNECT proxy. Any other transport socket is an error,
 * because a connection without the required security would be unsafe.
 */
final class TransportSecurityDecoder {
  static final String HTTP_CONNECT =
      "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport";
  static final String UPSTREAM_TLS = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";

  static final String DOWNSTREAM_TLS =
      "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext";
  private static final String TLS_SOCKET = "envoy.transport_sockets.tls";

  private static final TransportSettings PLAIN_BY_CONNECT =
      new TransportSettings(true, Optional.empty());

  private TransportSecurityDecoder() {}

  static TransportSettings decode(Cluster proto, DecodeContext context, FieldErrors errors) {
    if (proto.getTransportSocketMatchesCount() > 0) {
      errors.at("transport_socket_matches").add("is not supported; use transport_socket");
    }
    if (!proto.hasTransportSocket()) {
      return TransportSettings.PLAIN;
    }
    TransportSocket socket = proto.getTransportSocket();
    FieldErrors here = errors.at("transport_socket");
    return switch (typeOf(socket)) {
      case HTTP_CONNECT -> {
        FieldErrors inside = here.at("typed_config");
        yield TypedConfig.read(
                socket.getTypedConfig(), Http11ProxyUpstreamTransport.getDefaultInstance(), inside)
            .map(wrapper -> insideConnect(wrapper, context, inside))
            .orElse(PLAIN_BY_CONNECT);
      }
      case UPSTREAM_TLS -> new TransportSettings(false, tls(socket, context, here));
      default -> {
        if (!isPlain(socket)) {
          here.add(
              quoted(nameOf(socket))
                  + " is not supported, and the cluster is refused rather than spoken to in plain"
                  + " text; give "
                  + UPSTREAM_TLS
                  + ", or leave transport_socket out");
        }
        yield TransportSettings.PLAIN;
      }
    };
  }

  /** Decodes the inner transport socket, which must be TLS or absent (A86). */
  private static TransportSettings insideConnect(
      Http11ProxyUpstreamTransport proto, DecodeContext context, FieldErrors errors) {
    if (!proto.hasTransportSocket()) {
      return PLAIN_BY_CONNECT;
    }
    FieldErrors here = errors.at("transport_socket");
    TransportSocket inner = proto.getTransportSocket();
    if (typeOf(inner).equals(UPSTREAM_TLS)) {
      return new TransportSettings(true, tls(inner, context, here));
    }
    here.add(quoted(nameOf(inner)) + " may not stand here; leave it out, or give " + UPSTREAM_TLS);
    return PLAIN_BY_CONNECT;
  }

  private static Optional<UpstreamTls> tls(
      TransportSocket socket, DecodeContext context, FieldErrors errors) {
    return TlsContextDecoder.upstream(socket.getTypedConfig(), context, errors.at("typed_config"));
  }

  /** Decodes TLS of a filter chain (A29 "LDS for Server Side Security"); empty for plain text. */
  static Optional<DownstreamTls> ofServer(
      FilterChain proto, DecodeContext context, FieldErrors errors) {
    if (!proto.hasTransportSocket()) {
      return Optional.empty();
    }
    TransportSocket socket = proto.getTransportSocket();
    FieldErrors here = errors.at("transport_socket");
    if (!socket.getName().equals(TLS_SOCKET)) {
      here.at("name").add(quoted(socket.getName()) + " is not supported; must be " + TLS_SOCKET);
    }
    if (!typeOf(socket).equals(DOWNSTREAM_TLS)) {
      return here.at("typed_config")
          .refuse("holds " + quoted(typeOf(socket)) + "; must be " + DOWNSTREAM_TLS);
    }
    return TlsContextDecoder.downstream(socket.getTypedConfig(), context, here.at("typed_config"));
  }

  private static String typeOf(TransportSocket socket) {
    return TypedConfig.typeName(socket.getTypedConfig().getTypeUrl());
  }

  private static String nameOf(TransportSocket socket) {
    String type = typeOf(socket);
    return type.isEmpty() ? socket.getName() : type;
  }

  private static boolean isPlain(TransportSocket socket) {
    return socket.hasTypedConfig()
        ? socket.getTypedConfig().is(RawBuffer.class)
        : socket.getName().equals("envoy.transport_sockets.raw_buffer");
  }
}
