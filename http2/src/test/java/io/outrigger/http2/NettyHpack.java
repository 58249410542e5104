package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;

/** Netty's HPACK, used as the oracle. It does not check fields. */
final class NettyHpack {
  static final String TOO_LARGE = "too large";
  static final String REFUSED = "refused";

  /** Returns a field as {@code name=value}, without the blanks that our decoder strips. */
  record Field(String name, String value) {
    @Override
    public String toString() {
      boolean stays = name.startsWith(":") || name.equals("grpc-message");
      return name + "=" + (stays ? value : value.replaceAll("^[ \\t]+|[ \\t]+\\z", ""));
    }
  }

  private final List<Field> fields = new ArrayList<>();
  private final DefaultHttp2HeadersDecoder decoder;

  NettyHpack(int maxListBytes) {
    decoder =
        new DefaultHttp2HeadersDecoder(false, maxListBytes) {
          @Override
          protected Http2Headers newHeaders() {
            return new DefaultHttp2Headers(false) {
              @Override
              public Http2Headers add(CharSequence name, CharSequence value) {
                fields.add(new Field(name.toString(), value.toString()));
                return this;
              }
            };
          }
        };
  }

  /** The table size that our settings allow the peer's encoder. */
  void maxTableSize(int bytes) throws Http2Exception {
    decoder.maxHeaderTableSize(bytes);
  }

  /** The fields of {@code block}, or one word for an error. */
  List<String> decode(byte[] block) {
    fields.clear();
    try {
      var unused = decoder.decodeHeaders(1, Unpooled.wrappedBuffer(block));
      return fields.stream().map(Field::toString).toList();
    } catch (Http2Exception.HeaderListSizeException e) {
      return List.of(TOO_LARGE);
    } catch (Http2Exception | RuntimeException e) {
      return List.of(REFUSED);
    }
  }

  /** The fields of the last block up to its error. */
  List<Field> fields() {
    return List.copyOf(fields);
  }

  /**
   * Whether the block has four continuation bytes in a row that add zero to an integer: the
   * difference that {@link HpackDifferentialTest#integers} explains.
   */
  static boolean mayHaveLongInteger(byte[] block) {
    int zeros = 0;
    for (byte b : block) {
      zeros = b == (byte) 0x80 ? zeros + 1 : 0;
      if (zeros == 4) {
        return true;
      }
    }
    return false;
  }

  /** Encodes {@code text} as a string literal, with Huffman code where that is shorter. */
  static byte[] literal(String text) throws Http2Exception {
    ByteBuf out = Unpooled.buffer();
    try (var encoder = new DefaultHttp2HeadersEncoder((name, value) -> true, false, 64, 0)) {
      encoder.encodeHeaders(
          1, new DefaultHttp2Headers(false).add(new AsciiString("x"), new AsciiString(text)), out);
    }
    out.skipBytes(3); // skips the pattern and the name of a field that is never indexed
    return ByteBufUtil.getBytes(out);
  }
}
