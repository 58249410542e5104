package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.outrigger.base.LoopConfined;
import io.outrigger.xds.ResourceType;
import java.io.IOException;

/**
 * Builds a protobuf message field by field, without descriptors. Protobuf would build descriptors
 * to write a message with a map, or to pack an {@code Any} (decision xds-0074).
 */
@LoopConfined
public final class WireMessage {
  private static final int BYTES = 48; // enough for an endpoint with one address

  private final ByteString.Output bytes = ByteString.newOutput(BYTES);
  private final CodedOutputStream out = CodedOutputStream.newInstance(bytes, BYTES);

  @FunctionalInterface
  private interface Part {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  public static WireMessage address(String host, int port) {
    return new WireMessage()
        .message(
            Address.SOCKET_ADDRESS_FIELD_NUMBER,
            new WireMessage()
                .text(SocketAddress.ADDRESS_FIELD_NUMBER, host)
                .number(SocketAddress.PORT_VALUE_FIELD_NUMBER, port));
  }

  public WireMessage text(int field, String text) {
    return add(to -> to.writeString(field, text));
  }

  public WireMessage message(int field, WireMessage message) {
    return add(to -> to.writeBytes(field, message.bytes()));
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
    return add(to -> to.writeUInt32(field, value));
  }

  public Any as(ResourceType<?> type) {
    return Any.newBuilder().setTypeUrl(type.typeUrl()).setValue(bytes()).build();
  }

  WireMessage real(int field, double value) {
    return add(to -> to.writeDouble(field, value));
  }

  private WireMessage add(Part part) {
    try {
      part.writeTo(out);
      return this;
    } catch (IOException e) {
      throw new AssertionError("memory can be written", e);
    }
  }

  ByteString bytes() {
    add(CodedOutputStream::flush);
    return bytes.toByteString();
  }
}
