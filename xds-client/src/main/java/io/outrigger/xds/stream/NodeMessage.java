package io.outrigger.xds.stream;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.outrigger.xds.decode.SecretNames;
import java.util.List;
import java.util.Map;

/** Who we are, as the control plane reads it (A27 "Node proto"). */
public final class NodeMessage {
  static final String USER_AGENT = "outrigger";
  static final List<String> CLIENT_FEATURES =
      List.of("envoy.lb.does_not_support_overprovisioning", "xds.config.resource-in-sotw");

  private NodeMessage() {}

  /**
   * Makes the message.
   *
   * @param version of this program
   */
  public static Node of(io.outrigger.config.bootstrap.Node node, String version) {
    var locality = node.locality();
    return Node.newBuilder()
        .setId(node.id())
        .setCluster(node.cluster())
        .setMetadata(struct(node.metadata()))
        .setLocality(
            Locality.newBuilder()
                .setRegion(locality.region())
                .setZone(locality.zone())
                .setSubZone(locality.subZone()))
        .setUserAgentName(USER_AGENT)
        .setUserAgentVersion(version)
        .addAllClientFeatures(CLIENT_FEATURES)
        .build();
  }

  /** The same for people: without the values of metadata whose names say that they are secret. */
  public static Node shown(io.outrigger.config.bootstrap.Node node, String version) {
    Node whole = of(node, version);
    return whole.toBuilder().setMetadata(SecretNames.withoutSecrets(whole.getMetadata())).build();
  }

  private static Struct struct(Map<?, ?> fields) {
    var struct = Struct.newBuilder();
    fields.forEach((key, value) -> struct.putFields(String.valueOf(key), value(value)));
    return struct.build();
  }

  private static Value value(Object value) {
    var built = Value.newBuilder();
    if (value instanceof String text) {
      built.setStringValue(text);
    } else if (value instanceof Boolean flag) {
      built.setBoolValue(flag);
    } else if (value instanceof Number number) {
      built.setNumberValue(number.doubleValue());
    } else if (value instanceof Map<?, ?> fields) {
      built.setStructValue(struct(fields));
    } else if (value instanceof List<?> items) {
      var list = ListValue.newBuilder();
      items.forEach(item -> list.addValues(value(item)));
      built.setListValue(list);
    } else {
      throw new IllegalArgumentException("node metadata holds a " + value.getClass());
    }
    return built.build();
  }
}
