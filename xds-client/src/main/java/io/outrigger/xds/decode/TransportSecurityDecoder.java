package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;
import io.envoyproxy.envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport;

/**
 * {@code transport_socket}: how connections of a cluster are made and secured (A29, A86). Plain
 * text is understood, directly or through a proxy that is asked to CONNECT. Everything else is
 * refused: a cluster that asks for TLS must never be spoken to without it.
 */
final class TransportSecurityDecoder {
  static final String RAW_BUFFER = "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer";
  static final String HTTP_CONNECT =
      "envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport";
  static final String UPSTREAM_TLS = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";

  private TransportSecurityDecoder() {}

  /** Whether connections are made through the proxies that endpoints name (A86). */
  static boolean usesHttpConnect(Cluster proto, FieldErrors errors) {
    if (proto.getTransportSocketMatchesCount() > 0) {
      errors.at("transport_socket_matches").add("is not supported; use transport_socket");
    }
    if (!proto.hasTransportSocket()) {
      return false;
    }
    TransportSocket socket = proto.getTransportSocket();
    FieldErrors here = errors.at("transport_socket");
    if (!typeOf(socket).equals(HTTP_CONNECT)) {
      if (!isPlain(socket)) {
        refuse(socket, here);
      }
      return false;
    }
    FieldErrors inside = here.at("typed_config");
    return TypedConfig.read(
            socket.getTypedConfig(), Http11ProxyUpstreamTransport.getDefaultInstance(), inside)
        .map(wrapper -> isPlainInside(wrapper, inside))
        .orElse(false);
  }

  /** A86: inside it there is nothing, which means plain text, or TLS. */
  private static boolean isPlainInside(Http11ProxyUpstreamTransport proto, FieldErrors errors) {
    if (!proto.hasTransportSocket()) {
      return true;
    }
    FieldErrors here = errors.at("transport_socket");
    TransportSocket inner = proto.getTransportSocket();
    if (typeOf(inner).equals(UPSTREAM_TLS)) {
      refuse(inner, here);
    } else {
      here.add(
          quoted(nameOf(inner)) + " may not stand here; leave it out, or give " + UPSTREAM_TLS);
    }
    return false;
  }

  private static void refuse(TransportSocket socket, FieldErrors errors) {
    errors.add(
        quoted(nameOf(socket))
            + " is not supported: upstream TLS is not supported yet, and the cluster is"
            + " refused rather than spoken to in plain text");
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
        ? typeOf(socket).equals(RAW_BUFFER)
        : socket.getName().equals("envoy.transport_sockets.raw_buffer");
  }
}
