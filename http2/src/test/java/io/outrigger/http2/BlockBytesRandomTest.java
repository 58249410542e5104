package io.outrigger.http2;

import io.netty.buffer.Unpooled;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random bytes as header blocks and as Huffman code: they decode to fields or are rejected as an
 * error of the peer.
 */
class BlockBytesRandomTest {
  private static final int RUNS = 20_000;
  private static final int MAX_LIST_BYTES = 4096;

  static Stream<Case> readers() {
    return Stream.of(
        new Case(
            "header block",
            ConnectionFault.class,
            bytes -> new HpackDecoder(MAX_LIST_BYTES).decode(Unpooled.wrappedBuffer(bytes)),
            Shape.BYTES,
            Stream.of( // RFC 7541, appendix C.3.1, C.4.1, C.6.1, and an update of the table's size
                    "828684410f7777772e6578616d706c652e636f6d",
                    "828684418cf1e3c2e5f23a6ba0ab90f4ff",
                    "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e91"
                        + "9d29ad171863c78f0b97c8e9ae82ae43d3",
                    "3fe11f8286")
                .map(HexFormat.of()::parseHex)
                .toList()),
        new Case(
            "text in Huffman's code",
            Void.class,
            bytes ->
                Huffman.decode(bytes, 0, bytes.length, new byte[Huffman.maxDecoded(bytes.length)]),
            Shape.BYTES,
            List.of(HexFormat.of().parseHex("f1e3c2e5f23a6ba0ab90f4ff"))));
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}
