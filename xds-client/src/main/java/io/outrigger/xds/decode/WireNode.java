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
 * stream (A27 "Node proto").
 *
 * <p>WireNode writes the fields of the message one by one. To write a message that may have a map,
 * protobuf builds the descriptors of its file and of all imported files. At the start of the proxy,
 * no other message needs these descriptors (decision xds-0074).
 *
 * @param bytes the serialized {@code envoy.config.core.v3.Node}
 */
public record WireNode(ByteString bytes) {
  private static final String USER_AGENT = "outrigger";

  /** The fields of an entry of a map, as protobuf writes every map. */
  private static final int ENTRY_KEY = 1;

  private static final int ENTRY_VALUE = 2;

  private static final List<String> CLIENT_FEATURES =
      List.of("envoy.lb.does_not_support_overprovisioning", "xds.config.resource-in-sotw");

  public static WireNode of(io.outrigger.config.bootstrap.Node node, String version) {
    var at = node.locality();
    Locality locality =
        Locality.newBuilder()
            .setRegion(at.region())
            .setZone(at.zone())
            .setSubZone(at.subZone())
            .build();
    var fields =
        UnknownFieldSet.newBuilder()
            .addField(Node.ID_FIELD_NUMBER, text(node.id()))
            .addField(Node.CLUSTER_FIELD_NUMBER, text(node.cluster()))
            .addField(Node.METADATA_FIELD_NUMBER, bytes(struct(node.metadata())))
            .addField(Node.LOCALITY_FIELD_NUMBER, bytes(locality.toByteString()))
            .addField(Node.USER_AGENT_NAME_FIELD_NUMBER, text(USER_AGENT))
            .addField(Node.USER_AGENT_VERSION_FIELD_NUMBER, text(version));
    var made = new WireNode(fields.build().toByteString());
    for (String feature : CLIENT_FEATURES) {
      made = made.withFeature(feature);
    }
    return made;
  }

  /**
   * Returns the node that the control plane receives, without the values of metadata whose names
   * mark them as secret.
   */
  public static Node shown(io.outrigger.config.bootstrap.Node node, String version) {
    try {
      Node whole = Node.parseFrom(of(node, version).bytes());
      return whole.toBuilder().setMetadata(Redaction.withoutSecrets(whole.getMetadata())).build();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("what was written is a node", e);
    }
  }

  public WireNode withFeature(String feature) {
    var field =
        UnknownFieldSet.newBuilder().addField(Node.CLIENT_FEATURES_FIELD_NUMBER, text(feature));
    return new WireNode(bytes.concat(field.build().toByteString()));
  }

  public UnknownFieldSet asField(int number) {
    return UnknownFieldSet.newBuilder().addField(number, bytes(bytes)).build();
  }

  private static UnknownFieldSet.Field text(String text) {
    return bytes(ByteString.copyFromUtf8(text));
  }

  private static UnknownFieldSet.Field bytes(ByteString content) {
    return UnknownFieldSet.Field.newBuilder().addLengthDelimited(content).build();
  }

  private static ByteString struct(Map<?, ?> fields) {
    var entries = UnknownFieldSet.Field.newBuilder();
    fields.forEach(
        (name, value) ->
            entries.addLengthDelimited(
                UnknownFieldSet.newBuilder()
                    .addField(ENTRY_KEY, text(String.valueOf(name)))
                    .addField(ENTRY_VALUE, bytes(value(value)))
                    .build()
                    .toByteString()));
    return message(Struct.FIELDS_FIELD_NUMBER, entries.build());
  }

  private static ByteString value(Object value) {
    if (value instanceof String text) {
      return message(Value.STRING_VALUE_FIELD_NUMBER, text(text));
    } else if (value instanceof Boolean flag) {
      return message(
          Value.BOOL_VALUE_FIELD_NUMBER,
          UnknownFieldSet.Field.newBuilder().addVarint(flag ? 1 : 0).build());
    } else if (value instanceof Number number) {
      long bits = Double.doubleToRawLongBits(number.doubleValue());
      return message(
          Value.NUMBER_VALUE_FIELD_NUMBER,
          UnknownFieldSet.Field.newBuilder().addFixed64(bits).build());
    } else if (value instanceof Map<?, ?> fields) {
      return message(Value.STRUCT_VALUE_FIELD_NUMBER, bytes(struct(fields)));
    } else if (value instanceof List<?> items) {
      var values = UnknownFieldSet.Field.newBuilder();
      items.forEach(item -> values.addLengthDelimited(value(item)));
      return message(
          Value.LIST_VALUE_FIELD_NUMBER,
          bytes(message(ListValue.VALUES_FIELD_NUMBER, values.build())));
    }
    throw new IllegalArgumentException("node metadata holds a " + value.getClass());
  }

  private static ByteString message(int number, UnknownFieldSet.Field field) {
    return UnknownFieldSet.newBuilder().addField(number, field).build().toByteString();
  }
}
