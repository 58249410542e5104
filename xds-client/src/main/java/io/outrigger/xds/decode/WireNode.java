package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * The serialized message {@code Node}, which identifies this client in the first request of a
 * stream (A27 "Node proto").
 *
 * <p>WireNode writes the message without protobuf. To write a message that may have a map, protobuf
 * builds the descriptors of its file and of all imported files. At the start of the proxy, no other
 * message needs these descriptors.
 *
 * @param bytes the serialized {@code envoy.config.core.v3.Node}
 */
public record WireNode(ByteString bytes) {
  private static final String USER_AGENT = "outrigger";
  private static final List<String> CLIENT_FEATURES =
      List.of("envoy.lb.does_not_support_overprovisioning", "xds.config.resource-in-sotw");

  private static final int FIELDS_OF_STRUCT = 1;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int NUMBER_VALUE = 2;
  private static final int STRING_VALUE = 3;
  private static final int BOOL_VALUE = 4;
  private static final int STRUCT_VALUE = 5;
  private static final int LIST_VALUE = 6;
  private static final int VALUES_OF_LIST = 1;

  /** Writes the fields of one message. */
  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  /**
   * Creates the message from the node of the bootstrap.
   *
   * @param version the version of this program
   */
  public static WireNode of(io.outrigger.config.bootstrap.Node node, String version) {
    var at = node.locality();
    Locality locality =
        Locality.newBuilder()
            .setRegion(at.region())
            .setZone(at.zone())
            .setSubZone(at.subZone())
            .build();
    return new WireNode(
        written(
            out -> {
              out.writeString(Node.ID_FIELD_NUMBER, node.id());
              out.writeString(Node.CLUSTER_FIELD_NUMBER, node.cluster());
              out.writeBytes(Node.METADATA_FIELD_NUMBER, struct(node.metadata()));
              out.writeMessage(Node.LOCALITY_FIELD_NUMBER, locality);
              out.writeString(Node.USER_AGENT_NAME_FIELD_NUMBER, USER_AGENT);
              out.writeString(Node.USER_AGENT_VERSION_FIELD_NUMBER, version);
              for (String feature : CLIENT_FEATURES) {
                out.writeString(Node.CLIENT_FEATURES_FIELD_NUMBER, feature);
              }
            }));
  }

  /** Returns the node with {@code feature} added to its {@code client_features}. */
  public WireNode withFeature(String feature) {
    return new WireNode(
        bytes.concat(written(out -> out.writeString(Node.CLIENT_FEATURES_FIELD_NUMBER, feature))));
  }

  /** Returns the node as an unknown field, for a request whose node is in field {@code number}. */
  public UnknownFieldSet asField(int number) {
    return UnknownFieldSet.newBuilder()
        .addField(number, UnknownFieldSet.Field.newBuilder().addLengthDelimited(bytes).build())
        .build();
  }

  private static ByteString struct(Map<?, ?> fields) {
    return written(
        out -> {
          for (Map.Entry<?, ?> field : fields.entrySet()) {
            ByteString entry =
                written(
                    pair -> {
                      pair.writeString(KEY, String.valueOf(field.getKey()));
                      pair.writeBytes(VALUE, value(field.getValue()));
                    });
            out.writeBytes(FIELDS_OF_STRUCT, entry);
          }
        });
  }

  private static ByteString value(Object value) {
    return written(
        out -> {
          if (value instanceof String text) {
            out.writeString(STRING_VALUE, text);
          } else if (value instanceof Boolean flag) {
            out.writeBool(BOOL_VALUE, flag);
          } else if (value instanceof Number number) {
            out.writeDouble(NUMBER_VALUE, number.doubleValue());
          } else if (value instanceof Map<?, ?> fields) {
            out.writeBytes(STRUCT_VALUE, struct(fields));
          } else if (value instanceof List<?> items) {
            out.writeBytes(LIST_VALUE, list(items));
          } else {
            throw new IllegalArgumentException("node metadata holds a " + value.getClass());
          }
        });
  }

  private static ByteString list(List<?> items) {
    return written(
        out -> {
          for (Object item : items) {
            out.writeBytes(VALUES_OF_LIST, value(item));
          }
        });
  }

  private static ByteString written(Fields fields) {
    ByteString.Output bytes = ByteString.newOutput();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      fields.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("memory takes every byte", e);
    }
    return bytes.toByteString();
  }
}
