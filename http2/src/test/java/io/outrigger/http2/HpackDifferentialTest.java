package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares our decoder with Netty's: both return the same fields, find the same lists too large and
 * reject the same blocks, except for {@link #integers}.
 */
final class HpackDifferentialTest {
  private static final int MAX_LIST_BYTES = 600;
  private static final int CONNECTIONS = 4000;

  private static final String[] TEXTS = {
    "",
    "a",
    "x-trace",
    ":path",
    "grpc-status",
    "/a.Service/Call",
    "application/grpc",
    "0",
    "Mixed Case, and such; \u00e9\u00ff\u0001",
    "long-".repeat(30),
    "cookie"
  };

  private int refused;
  private int tooLarge;
  private int understood;

  @Test
  void blocksOfAllRepresentations() throws Exception {
    compare(HpackDifferentialTest::block);

    assertThat(understood).isGreaterThan(2 * CONNECTIONS);
    assertThat(tooLarge).isGreaterThan(CONNECTIONS / 20);
  }

  @Test
  void blocksWithBytesChangedLostAndRepeated() throws Exception {
    compare(random -> mutated(random, block(random)));

    assertThat(understood).isGreaterThan(CONNECTIONS / 2);
    assertThat(refused).isGreaterThan(CONNECTIONS / 4);
  }

  @Test
  void randomBytes() throws Exception {
    compare(
        random -> {
          byte[] bytes = new byte[random.nextInt(40)];
          random.nextBytes(bytes);
          return bytes;
        });

    assertThat(refused).isGreaterThan(CONNECTIONS / 4);
    assertThat(understood).isGreaterThan(CONNECTIONS / 40);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "index 0, 80, refused",
    "index beyond both tables, be, refused",
    "name beyond both tables, 7e0161, refused",
    "table size of nothing, 20, ''",
    "table size as allowed, 3fe11f82, :method=GET",
    "table size beyond, 3fe21f, refused",
    "three table sizes, 20203fe11f82, :method=GET",
    "table size behind a field, 8220, refused",
    "no block, '', ''",
    "empty name, 00000161, =a",
    "empty name and value in Huffman code, 008080, =",
    "padding of three ones, 000161811f, a=a",
    "padding of zeros, 0001618118, refused",
    "padding of seven ones, 00016182ffff, refused",
    "padding of a whole byte, 000161821fff, refused",
    "end of string in Huffman code, 00016184ffffffff, refused",
    "cut within an index, ff, refused",
    "cut before the value, 000161, refused",
    "cut within the value, 00016105, refused",
    "integer of five bytes more, ff8080808000, refused",
    "integer of 2^31-1, ff80ffffff07, refused",
    "integer of 2^31, ff81ffffff07, refused",
    "string of 2^31-1, 007f80ffffff07, refused",
  })
  void edges(String what, String hex, String expected) throws Exception {
    byte[] block = HexFormat.of().parseHex(hex);

    String told = String.join(", ", decode(new HpackDecoder(MAX_LIST_BYTES), block));

    assertThat(told).as(what).isEqualTo(expected);
    assertThat(String.join(", ", new NettyHpack(MAX_LIST_BYTES).decode(block))).isEqualTo(told);
  }

  /**
   * RFC 7541 section 5.1 lets implementations limit integers. Our decoder rejects an integer of
   * more than five bytes after its prefix; Netty accepts more bytes if they are zeros, which do not
   * change the value.
   */
  @ParameterizedTest
  @ValueSource(strings = {"3f80808080800082", "3f8080808080800082"})
  void integers(String hex) throws Exception {
    byte[] block = HexFormat.of().parseHex(hex);

    assertThat(decode(new HpackDecoder(MAX_LIST_BYTES), block)).containsExactly("refused");
    assertThat(new NettyHpack(MAX_LIST_BYTES).decode(block)).containsExactly(":method=GET");
  }

  private interface Blocks {
    byte[] next(Random random) throws Exception;
  }

  private void compare(Blocks blocks) throws Exception {
    for (long seed = 0; seed < CONNECTIONS; seed++) {
      var random = new Random(seed);
      var ours = new HpackDecoder(MAX_LIST_BYTES);
      var netty = new NettyHpack(MAX_LIST_BYTES);
      List<String> told;
      do {
        byte[] block = blocks.next(random);
        told = decode(ours, block);
        assertThat(told)
            .as("seed %d, block %s", seed, HexFormat.of().formatHex(block))
            .isEqualTo(netty.decode(block));
        count(told);
      } while (!told.equals(List.of(NettyHpack.REFUSED)) && random.nextInt(8) > 0);
    }
  }

  private void count(List<String> told) {
    if (told.equals(List.of(NettyHpack.REFUSED))) {
      refused++;
    } else if (told.equals(List.of(NettyHpack.TOO_LARGE))) {
      tooLarge++;
    } else {
      understood++;
    }
  }

  /** Most of the blocks are valid. */
  private static byte[] block(Random random) throws Exception {
    var out = new ByteArrayOutputStream();
    if (random.nextInt(6) == 0) {
      integer(out, 0x20, 5, random.nextInt(3) * random.nextInt(2100));
    }
    for (int fields = random.nextInt(8); fields > 0; fields--) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> integer(out, 0x80, 7, 1 + random.nextInt(62));
        case 3, 4, 5 -> literal(out, random, 0x40, 6);
        case 6 -> literal(out, random, 0, 4);
        default -> literal(out, random, 0x10, 4);
      }
    }
    return out.toByteArray();
  }

  private static void literal(ByteArrayOutputStream out, Random random, int pattern, int prefix)
      throws Exception {
    int name = random.nextBoolean() ? 0 : 1 + random.nextInt(62);
    integer(out, pattern, prefix, name);
    if (name == 0) {
      string(out, random);
    }
    string(out, random);
  }

  private static void string(ByteArrayOutputStream out, Random random) throws Exception {
    String text = TEXTS[random.nextInt(TEXTS.length)];
    if (random.nextBoolean()) {
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      integer(out, 0, 7, bytes.length);
      out.writeBytes(bytes);
    } else {
      out.writeBytes(NettyHpack.literal(text));
    }
  }

  private static void integer(ByteArrayOutputStream out, int pattern, int prefix, int value) {
    var integer = new HpackOutput();
    integer.integer(pattern, prefix, value);
    out.write(integer.bytes(), 0, integer.length());
  }

  private static byte[] mutated(Random random, byte[] block) {
    if (block.length == 0) {
      return block;
    }
    byte[] changed = block.clone();
    int at = random.nextInt(changed.length);
    switch (random.nextInt(4)) {
      case 0 -> changed[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> changed[at] = (byte) random.nextInt(256);
      case 2 -> changed = Arrays.copyOf(changed, at);
      default -> {
        int length = random.nextInt(changed.length - at);
        System.arraycopy(block, random.nextInt(block.length - length), changed, at, length);
      }
    }
    return changed;
  }

  static List<String> decode(HpackDecoder decoder, byte[] block) {
    HeaderList list;
    try {
      list = decoder.decode(Unpooled.wrappedBuffer(block));
    } catch (ConnectionFault e) {
      return List.of(NettyHpack.REFUSED);
    }
    if (list.isCut()) {
      return List.of(NettyHpack.TOO_LARGE);
    }
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      fields.add(list.field(i).toString());
    }
    return fields;
  }
}
