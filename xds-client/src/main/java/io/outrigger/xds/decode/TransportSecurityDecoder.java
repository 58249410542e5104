package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.TransportSocket;

/**
 * {@code transport_socket}: how connections of a cluster are secured (A29). Only plain text is
 * understood. Everything else is refused: a cluster that asks for TLS must never be spoken to
 * without it.
 */
final class TransportSecurityDecoder {
  static final String RAW_BUFFER = "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer";

  private TransportSecurityDecoder() {}

  static void check(Cluster proto, FieldErrors errors) {
    if (proto.hasTransportSocket() && !isPlain(proto.getTransportSocket())) {
      var socket = proto.getTransportSocket();
      String type = TypedConfig.typeName(socket.getTypedConfig().getTypeUrl());
      errors
          .at("transport_socket")
          .add(
              quoted(type.isEmpty() ? socket.getName() : type)
                  + " is not supported: upstream TLS is not supported yet, and the cluster is"
                  + " refused rather than spoken to in plain text");
    }
    if (proto.getTransportSocketMatchesCount() > 0) {
      errors.at("transport_socket_matches").add("is not supported; use transport_socket");
    }
  }

  private static boolean isPlain(TransportSocket socket) {
    return socket.hasTypedConfig()
        ? TypedConfig.typeName(socket.getTypedConfig().getTypeUrl()).equals(RAW_BUFFER)
        : socket.getName().equals("envoy.transport_sockets.raw_buffer");
  }
}
