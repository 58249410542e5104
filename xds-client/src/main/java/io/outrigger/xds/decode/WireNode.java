package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.Node;
import java.util.List;
import java.util.Map;

/**
 * The serialized message {@code Node}, which identifies this client in the first request of a
 * stream (A27 "Node proto"). {@link WireMessage} builds the bytes without protobuf descriptors.
 */
public record WireNode(ByteString bytes) {
  private static final String USER_AGENT = "outrigger";

  /** The field numbers in an entry of a protobuf map. */
  private static final int ENTRY_KEY = 1;

  private static final int ENTRY_VALUE = 2;

  private static final List<String> CLIENT_FEATURES =
      List.of("envoy.lb.does_not_support_overprovisioning", "xds.config.resource-in-sotw");

  public static WireNode of(io.outrigger.config.bootstrap.Node node, String version) {
    var at = node.locality();
    var locality =
        new WireMessage()
            .text(Locality.REGION_FIELD_NUMBER, at.region())
            .text(Locality.ZONE_FIELD_NUMBER, at.zone())
            .text(Locality.SUB_ZONE_FIELD_NUMBER, at.subZone());
    var message =
        new WireMessage()
            .text(Node.ID_FIELD_NUMBER, node.id())
            .text(Node.CLUSTER_FIELD_NUMBER, node.cluster())
            .message(Node.METADATA_FIELD_NUMBER, struct(node.metadata()))
            .message(Node.LOCALITY_FIELD_NUMBER, locality)
            .text(Node.USER_AGENT_NAME_FIELD_NUMBER, USER_AGENT)
            .text(Node.USER_AGENT_VERSION_FIELD_NUMBER, version);
    CLIENT_FEATURES.forEach(feature -> message.text(Node.CLIENT_FEATURES_FIELD_NUMBER, feature));
    return new WireNode(message.bytes());
  }

  /** Returns the node without the values of metadata whose names mark them as secret. */
  public static Node shown(io.outrigger.config.bootstrap.Node node, String version) {
    try {
      Node whole = Node.parseFrom(of(node, version).bytes());
      return whole.toBuilder().setMetadata(Redaction.withoutSecrets(whole.getMetadata())).build();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("what was written is a node", e);
    }
  }

  public WireNode withFeature(String feature) {
    var more = new WireMessage().text(Node.CLIENT_FEATURES_FIELD_NUMBER, feature);
    return new WireNode(bytes.concat(more.bytes()));
  }

  public UnknownFieldSet asField(int number) {
    return UnknownFieldSet.newBuilder().mergeLengthDelimitedField(number, bytes).build();
  }

  private static WireMessage struct(Map<?, ?> fields) {
    var struct = new WireMessage();
    fields.forEach(
        (name, value) ->
            struct.message(
                Struct.FIELDS_FIELD_NUMBER,
                new WireMessage()
                    .text(ENTRY_KEY, String.valueOf(name))
                    .message(ENTRY_VALUE, value(value))));
    return struct;
  }

  private static WireMessage value(Object value) {
    var message = new WireMessage();
    if (value instanceof String text) {
      return message.text(Value.STRING_VALUE_FIELD_NUMBER, text);
    } else if (value instanceof Boolean flag) {
      return message.number(Value.BOOL_VALUE_FIELD_NUMBER, flag ? 1 : 0);
    } else if (value instanceof Number number) {
      return message.real(Value.NUMBER_VALUE_FIELD_NUMBER, number.doubleValue());
    } else if (value instanceof Map<?, ?> fields) {
      return message.message(Value.STRUCT_VALUE_FIELD_NUMBER, struct(fields));
    } else if (value instanceof List<?> items) {
      var list = new WireMessage();
      items.forEach(item -> list.message(ListValue.VALUES_FIELD_NUMBER, value(item)));
      return message.message(Value.LIST_VALUE_FIELD_NUMBER, list);
    }
    throw new IllegalArgumentException("node metadata holds a " + value.getClass());
  }
}
