package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.WireFormat;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.outrigger.xds.ResourceType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Builds a protobuf message field by field, without descriptors. Protobuf builds descriptors to
 * write a generated message with a map, or to pack any message (decision xds-0074).
 */
public final class WireMessage {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  public static WireMessage address(String host, int port) {
    return new WireMessage()
        .message(
            Address.SOCKET_ADDRESS_FIELD_NUMBER,
            new WireMessage()
                .text(SocketAddress.ADDRESS_FIELD_NUMBER, host)
                .number(SocketAddress.PORT_VALUE_FIELD_NUMBER, port));
  }

  public WireMessage text(int field, String text) {
    return delimited(field, text.getBytes(StandardCharsets.UTF_8));
  }

  public WireMessage message(int field, WireMessage message) {
    return delimited(field, message.bytes.toByteArray());
  }

  /** Adds an {@code Any} that contains {@code message}; {@code type} is the full type name. */
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
    varint(field << 3);
    varint(value);
    return this;
  }

  public Any as(ResourceType<?> type) {
    return Any.newBuilder().setTypeUrl(type.typeUrl()).setValue(bytes()).build();
  }

  WireMessage real(int field, double value) {
    varint(field << 3 | WireFormat.WIRETYPE_FIXED64);
    long bits = Long.reverseBytes(Double.doubleToRawLongBits(value)); // little-endian
    bytes.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(bits).array());
    return this;
  }

  private WireMessage delimited(int field, byte[] content) {
    varint(field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED);
    varint(content.length);
    bytes.writeBytes(content);
    return this;
  }

  private void varint(int value) {
    int remaining = value;
    for (; (remaining & ~0x7f) != 0; remaining >>>= 7) {
      bytes.write((remaining & 0x7f) | 0x80);
    }
    bytes.write(remaining);
  }

  ByteString bytes() {
    return ByteString.copyFrom(bytes.toByteArray());
  }
}
