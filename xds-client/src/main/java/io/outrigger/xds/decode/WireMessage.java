package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.WireFormat;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.outrigger.base.LoopConfined;
import io.outrigger.xds.ResourceType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Builds a protobuf message field by field, without descriptors. Protobuf would build descriptors
 * to write a message with a map, or to pack an {@code Any} (decision xds-0074).
 */
@LoopConfined
public final class WireMessage {
  private static final int MAX_VARINT = 5; // bytes

  private byte[] bytes = new byte[48]; // enough for an endpoint with one address
  private int size;

  public static WireMessage address(String host, int port) {
    return new WireMessage()
        .message(
            Address.SOCKET_ADDRESS_FIELD_NUMBER,
            new WireMessage()
                .text(SocketAddress.ADDRESS_FIELD_NUMBER, host)
                .number(SocketAddress.PORT_VALUE_FIELD_NUMBER, port));
  }

  public WireMessage text(int field, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return delimited(field, utf8, utf8.length);
  }

  public WireMessage message(int field, WireMessage message) {
    return delimited(field, message.bytes, message.size);
  }

  /** Adds an {@code Any} that contains a message; {@code type} is the message's full type name. */
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
    append(ByteBuffer.allocate(Long.BYTES).putLong(bits).array(), Long.BYTES);
    return this;
  }

  private WireMessage delimited(int field, byte[] content, int length) {
    varint(field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED);
    varint(length);
    append(content, length);
    return this;
  }

  private void varint(int value) {
    reserve(MAX_VARINT);
    int remaining = value;
    for (; (remaining & ~0x7f) != 0; remaining >>>= 7) {
      bytes[size++] = (byte) (remaining | 0x80);
    }
    bytes[size++] = (byte) remaining;
  }

  private void append(byte[] content, int length) {
    reserve(length);
    System.arraycopy(content, 0, bytes, size, length);
    size += length;
  }

  private void reserve(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
    }
  }

  ByteString bytes() {
    return ByteString.copyFrom(bytes, 0, size);
  }
}
