package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.ListenerResource;
import java.time.Duration;
import java.util.Optional;

/**
 * Decodes {@code Listener}: an API listener with an HTTP connection manager (A27 "Listener Proto",
 * A39), or a listener with a socket and filter chains (A36).
 */
final class ListenerDecoder {
  private static final String REMEDY =
      "is missing; a client needs {\"api_listener\":{\"api_listener\":"
          + "{\"@type\":\"type.googleapis.com/"
          + ConnectionManagerDecoder.TYPE
          + "\",…}}}, a server needs address and filter_chains";

  private ListenerDecoder() {}

  static Optional<? extends ListenerResource> decode(
      Listener proto, ByteString bytes, DecodeContext context, FieldErrors errors) {
    FieldErrors here = errors.at("api_listener");
    if (proto.hasApiListener() && proto.getApiListener().hasApiListener()) {
      return api(proto, context, here.at("api_listener"));
    }
    boolean isForServer =
        proto.hasAddress() || proto.getFilterChainsCount() > 0 || proto.hasDefaultFilterChain();
    if (proto.hasApiListener() || !isForServer) {
      return here.refuse(REMEDY);
    }
    return SocketListenerDecoder.decode(proto, context, errors);
  }

  private static Optional<ApiListener> api(
      Listener listener, DecodeContext context, FieldErrors errors) {
    Any any = listener.getApiListener().getApiListener();
    String type = TypedConfig.typeName(any.getTypeUrl());
    if (!type.equals(ConnectionManagerDecoder.TYPE)) {
      return errors.refuse("holds " + quoted(type) + "; must be " + ConnectionManagerDecoder.TYPE);
    }
    return TypedConfig.read(any, HttpConnectionManager.getDefaultInstance(), errors)
        .flatMap(
            proto -> {
              Optional<Duration> maxStreamDuration = maxStreamDuration(proto, errors);
              return ConnectionManagerDecoder.decode(
                      proto, any.getValue(), FilterDecoders.CLIENT, context, errors)
                  .map(
                      manager ->
                          new ApiListener(
                              listener.getName(),
                              manager.routes(),
                              manager.filters(),
                              maxStreamDuration));
            });
  }

  private static Optional<Duration> maxStreamDuration(
      HttpConnectionManager proto, FieldErrors errors) {
    var options = proto.getCommonHttpProtocolOptions();
    return ProtoDurations.ifSet(
        options.hasMaxStreamDuration(),
        options.getMaxStreamDuration(),
        errors.at("common_http_protocol_options").at("max_stream_duration"));
  }
}
