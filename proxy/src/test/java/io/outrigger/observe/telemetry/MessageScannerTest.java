package io.outrigger.observe.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageScannerTest {
  /** A message of three bytes, an empty one, and one of 258 bytes that is compressed. */
  private static final byte[] BODY =
      HexFormat.of()
          .parseHex("0000000003" + "aabbcc" + "0000000000" + "0100000102" + "00".repeat(258));

  private final List<String> found = new ArrayList<>();
  private final MessageScanner scanner =
      new MessageScanner((n, bytes, zip) -> found.add(n + ":" + bytes + (zip ? "z" : "")));

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 100, 1000})
  void messagesAreFoundHoweverTheyAreSpread(int frameBytes) {
    for (int at = 0; at < BODY.length; at += frameBytes) {
      read(at, Math.min(frameBytes, BODY.length - at));
    }

    assertThat(found).containsExactly("0:3", "1:0", "2:258z");
  }

  @Test
  void aMessageCountsWhenItsLastByteHasCome() {
    read(0, 7);
    assertThat(found).isEmpty();

    read(7, 1);
    assertThat(found).containsExactly("0:3");
  }

  private void read(int at, int bytes) {
    ByteBuf data = Unpooled.wrappedBuffer(BODY, at, bytes);
    scanner.read(data);
    assertThat(data.readableBytes()).as("what is read goes on to the other side").isEqualTo(bytes);
  }
}
