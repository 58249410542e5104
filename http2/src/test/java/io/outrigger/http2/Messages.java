package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;

/** Heads, trailers and content for tests. */
final class Messages {
  static final HeaderList POST = request("POST", "/a.Service/Call");

  static final HeaderList OK =
      list(":status", "200", "content-type", "application/grpc", "x-one", "1");

  static final HeaderList TRAILERS = list("grpc-status", "0", "grpc-message", "fine");

  private Messages() {}

  static HeaderList request(String method, String path) {
    return list(
        ":method",
        method,
        ":scheme",
        "http",
        ":authority",
        "pay:80",
        ":path",
        path,
        "te",
        "trailers",
        "content-type",
        "application/grpc");
  }

  static HeaderList list(String... namesAndValues) {
    HeaderList.Builder list = HeaderList.builder(namesAndValues.length / 2);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      list.add(new AsciiString(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return list.build();
  }

  static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
  }
}
