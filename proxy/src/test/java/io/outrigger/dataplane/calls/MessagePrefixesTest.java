package io.outrigger.dataplane.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagePrefixesTest {
  /** A message of three bytes, an empty one, and a compressed one of 258 bytes. */
  private static final byte[] BODY =
      HexFormat.of()
          .parseHex("0000000003" + "aabbcc" + "0000000000" + "0100000102" + "00".repeat(258));

  private final List<String> found = new ArrayList<>();
  private final CallSpans spans =
      new CallSpans() {
        @Override
        public void message(boolean isRequest, long sequence, long bytes, boolean isCompressed) {
          found.add((isRequest ? "" : "app ") + sequence + ":" + bytes + (isCompressed ? "z" : ""));
        }
      };

  private long read(long state, ByteBuf data) {
    return MessagePrefixes.read(state, data, spans, true);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 100, 1000})
  void prefixesAreFoundHoweverTheyAreSpread(int frameBytes) {
    long state = 0;
    for (int at = 0; at < BODY.length; at += frameBytes) {
      ByteBuf data = Unpooled.wrappedBuffer(BODY, at, Math.min(frameBytes, BODY.length - at));
      int before = data.readableBytes();
      state = read(state, data);
      assertThat(data.readableBytes()).isEqualTo(before);
    }

    assertThat(MessagePrefixes.bytes(state)).isEqualTo(15);
    assertThat(found).containsExactly("0:3", "1:0", "2:258z");
  }

  @Test
  void whatIsCutOffCountsAsFarAsItCame() {
    long state = 0;
    int[] expected = {1, 2, 3, 4, 5, 5, 5, 5, 6, 7, 8, 9, 10, 11};
    for (int i = 0; i < expected.length; i++) {
      state = read(state, Unpooled.wrappedBuffer(BODY, i, 1));
      assertThat(MessagePrefixes.bytes(state)).as("byte %s", i).isEqualTo(expected[i]);
    }
  }

  @Test
  void randomBodiesInRandomFrames() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      ByteBuf body = Unpooled.buffer();
      int messages = random.nextInt(20);
      for (int i = 0; i < messages; i++) {
        int bytes = random.nextInt(4) == 0 ? 0 : random.nextInt(3000);
        body.writeByte(random.nextInt(2)).writeInt(bytes);
        for (int b = 0; b < bytes; b++) {
          body.writeByte(random.nextInt());
        }
      }
      long state = 0;
      while (body.isReadable()) {
        state =
            read(state, body.readSlice(Math.min(body.readableBytes(), 1 + random.nextInt(700))));
      }
      assertThat(MessagePrefixes.bytes(state)).as("seed %s", seed).isEqualTo(messages * 5L);
    }
  }

  @Test
  void theLongestMessageIsNotTakenForANegativeOne() {
    byte[] prefix = {0, -1, -1, -1, -1};
    long state = read(0, Unpooled.wrappedBuffer(prefix));

    state = read(state, Unpooled.wrappedBuffer(new byte[100]));
    assertThat(found).containsExactly("0:4294967295");

    assertThat(MessagePrefixes.bytes(state)).isEqualTo(5);
  }
}
