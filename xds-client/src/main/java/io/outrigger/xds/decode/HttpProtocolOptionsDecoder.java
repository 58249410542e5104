package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.outrigger.config.cluster.ClusterResource;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Decodes the idle timeout of {@code HttpProtocolOptions}; all other options are ignored (A75
 * "Reading idle_timeout").
 */
final class HttpProtocolOptionsDecoder {
  static final String HTTP_PROTOCOL_OPTIONS =
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

  private HttpProtocolOptionsDecoder() {}

  static Duration idleTimeout(ByteString bytes, FieldErrors errors) {
    Map<String, Any> all = new HashMap<>();
    try {
      for (var entry :
          WireFields.entries(bytes, Cluster.TYPED_EXTENSION_PROTOCOL_OPTIONS_FIELD_NUMBER)
              .entrySet()) {
        all.put(entry.getKey(), Any.parseFrom(entry.getValue()));
      }
    } catch (InvalidProtocolBufferException e) {
      errors.at("typed_extension_protocol_options").add("is not readable: " + e.getMessage());
    }
    Any any = all.get(HTTP_PROTOCOL_OPTIONS);
    if (any == null) {
      return ClusterResource.DEFAULT_IDLE_TIMEOUT;
    }
    FieldErrors here = errors.at("typed_extension_protocol_options", HTTP_PROTOCOL_OPTIONS);
    String type = TypedConfig.typeName(any.getTypeUrl());
    if (!type.equals(HTTP_PROTOCOL_OPTIONS)) {
      here.add("holds " + quoted(type) + "; must be " + HTTP_PROTOCOL_OPTIONS);
      return ClusterResource.DEFAULT_IDLE_TIMEOUT;
    }
    return TypedConfig.read(any, HttpProtocolOptions.getDefaultInstance(), here)
        .map(HttpProtocolOptions::getCommonHttpProtocolOptions)
        .filter(io.envoyproxy.envoy.config.core.v3.HttpProtocolOptions::hasIdleTimeout)
        .flatMap(
            common ->
                ProtoDurations.decode(
                    common.getIdleTimeout(),
                    here.at("common_http_protocol_options").at("idle_timeout")))
        .orElse(ClusterResource.DEFAULT_IDLE_TIMEOUT);
  }
}
