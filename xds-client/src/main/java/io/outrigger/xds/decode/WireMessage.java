package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.outrigger.xds.ResourceType;

/**
 * Builds a protobuf message field by field. To write a generated message that may have a map, or to
 * pack any message, protobuf would build the descriptors of its file and of all imported files
 * (decision xds-0074).
 */
public final class WireMessage {
  private final UnknownFieldSet.Builder fields = UnknownFieldSet.newBuilder();

  /** Returns the message {@code Address} of a host and port. */
  public static WireMessage address(String host, int port) {
    return new WireMessage()
        .message(
            Address.SOCKET_ADDRESS_FIELD_NUMBER,
            new WireMessage()
                .text(SocketAddress.ADDRESS_FIELD_NUMBER, host)
                .number(SocketAddress.PORT_VALUE_FIELD_NUMBER, port));
  }

  public WireMessage text(int field, String text) {
    fields.mergeLengthDelimitedField(field, ByteString.copyFromUtf8(text));
    return this;
  }

  public WireMessage message(int field, WireMessage message) {
    fields.mergeLengthDelimitedField(field, message.bytes());
    return this;
  }

  /** Adds an {@code Any} whose type has the full name {@code type}. */
  public WireMessage packed(int field, String type, WireMessage message) {
    return message(
        field,
        new WireMessage()
            .text(Any.TYPE_URL_FIELD_NUMBER, "type.googleapis.com/" + type)
            .message(Any.VALUE_FIELD_NUMBER, message));
  }

  /**
   * @param value the value of an unsigned field or of an enum
   */
  public WireMessage number(int field, int value) {
    fields.mergeVarintField(field, value);
    return this;
  }

  public Any as(ResourceType<?> type) {
    return Any.newBuilder().setTypeUrl(type.typeUrl()).setValue(bytes()).build();
  }

  WireMessage real(int field, double value) {
    var bits = UnknownFieldSet.Field.newBuilder().addFixed64(Double.doubleToRawLongBits(value));
    fields.mergeField(field, bits.build());
    return this;
  }

  ByteString bytes() {
    return fields.build().toByteString();
  }
}
