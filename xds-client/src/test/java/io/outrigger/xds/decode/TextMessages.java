package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;

/** Resources in protobuf's text form, which can say what JSON cannot: NaN, illegal durations. */
final class TextMessages {
  private TextMessages() {}

  static ByteString cluster(String text) {
    return bytes(text, Cluster.newBuilder());
  }

  static ByteString endpoints(String text) {
    return bytes(text, ClusterLoadAssignment.newBuilder());
  }

  static ByteString routes(String text) {
    return bytes(text, RouteConfiguration.newBuilder());
  }

  private static ByteString bytes(String text, Message.Builder builder) {
    try {
      TextFormat.merge(text, builder);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(text, e);
    }
    return builder.build().toByteString();
  }
}
