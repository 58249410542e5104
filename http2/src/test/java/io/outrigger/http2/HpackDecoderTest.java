package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import io.outrigger.http2.testing.Frames;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HpackDecoderTest {
  private final HpackDecoder decoder;

  /** Decodes on a new thread, whose caches are empty. */
  HpackDecoderTest() {
    FastThreadLocal.removeAll();
    decoder = new HpackDecoder(8192);
  }

  @Test
  void aFieldOutOfTheTableIsTheOneThatWentIn() throws Exception {
    HeaderField first = decode("40 01 61 03 787978").field(0);

    assertThat(decode("be").field(0)).isSameAs(first);
    assertThat(decode("be be").field(1)).isSameAs(first);
  }

  @Test
  void aListThatComesAgainIsTheSameForAllConnectionsOfTheLoop() throws Exception {
    // no other test on this thread may decode "/third/times", because they share the caches
    String path = "04 0c 2f74686972642f74696d6573";
    HeaderList first = decode(path);
    HeaderList second = decode(path);

    assertThat(second).isNotSameAs(first);
    assertThat(decode(path)).isSameAs(second);
    assertThat(new HpackDecoder(8192).decode(Unpooled.wrappedBuffer(bytes(path))))
        .as("of another connection of the loop")
        .isSameAs(second);
  }

  /** No object is created for a field that is too large for both the list and the table. */
  @Test
  void aFieldBeyondTheListEmptiesTheTableAndTheRestIsRead() throws Exception {
    decode("40 01 61 01 31");
    byte[] large = literal(0x40, "n".repeat(9_000), "v");

    HeaderList list = decoder.decode(Unpooled.wrappedBuffer(bytes("82"), large, bytes("84")));

    assertThat(list.isCut()).isTrue();
    assertThat(list.toString()).isEqualTo(":method=GET, :path=/");
    assertThat(decoder.table.bytes()).isZero();
    assertThatThrownBy(() -> decode("be")).isInstanceOf(ConnectionFault.class);
  }

  private static byte[] literal(int pattern, String name, String value) {
    var out = new HpackOutput();
    out.integer(pattern, pattern == 0 ? 4 : 6, 0);
    out.string(name.getBytes(StandardCharsets.US_ASCII));
    out.string(value.getBytes(StandardCharsets.US_ASCII));
    return Arrays.copyOf(out.bytes(), out.length());
  }

  @Test
  void aListThatComesForTheThirdTimeIsTheOneThatCameForTheSecond() throws Exception {
    // no other test on this thread may decode these fields together: they share the caches
    HeaderList first = decode("8f a1 b5");
    HeaderList second = decode("8f a1 b5");

    assertThat(first.recurs()).isFalse();
    assertThat(second.recurs()).isTrue();
    assertThat(decode("8f a1 b5")).isSameAs(second);
    assertThat(decode("8f a1 b5")).as("by its bytes").isSameAs(second);
    assertThat(decode("8f b5 a1").toString()).isEqualTo("accept-charset=, retry-after=, date=");
    assertThat(decode("8f a1 b5 b5").size()).isEqualTo(4);
    assertThat(decode("8f a1").size()).isEqualTo(2);
  }

  private static @Nullable HeaderList remembered(byte[] block) {
    int key = HeaderBlockCache.keyOf(HeaderBlockCache.EMPTY_TABLE, block, block.length);
    return HpackSpace.current()
        .blocks
        .decoded(key, HeaderBlockCache.EMPTY_TABLE, block, block.length);
  }

  @Test
  void aBlockIsRememberedWhenItLeavesTheTableAsItWas() throws Exception {
    byte[] leaves = bytes("8f a1 b5");
    byte[] changes = bytes("8f a1 40 01 61 01 31");
    for (int i = 0; i < 3; i++) {
      decode("8f a1 b5");
      var unused = new HpackDecoder(8192).decode(Unpooled.wrappedBuffer(changes));
    }

    assertThat(remembered(leaves)).isNotNull().isSameAs(decode("8f a1 b5"));
    assertThat(remembered(changes)).isNull();
  }

  /**
   * The cached list differs from the block, so that the test detects whether the block was decoded.
   */
  @ParameterizedTest
  @CsvSource({"2048, true", "2047, false"})
  void aBlockThatIsKnownIsNotReadWhereAnyListThatIsKeptIsAllowed(int maxListBytes, boolean known)
      throws Exception {
    byte[] block = bytes("8f a1 b5");
    int key = HeaderBlockCache.keyOf(HeaderBlockCache.EMPTY_TABLE, block, block.length);
    HeaderBlockCache blocks = HpackSpace.current().blocks;
    for (int i = 0; i < 2; i++) {
      HeaderList.Builder other = HeaderList.builder(1).add(KnownName.STATUS, "204");
      var unused = blocks.onDecoded(key, HeaderBlockCache.EMPTY_TABLE, block, block.length, other);
    }

    HeaderList list = new HpackDecoder(maxListBytes).decode(Unpooled.wrappedBuffer(block));
    assertThat(list.toString())
        .isEqualTo(known ? ":status=204" : "accept-charset=, date=, retry-after=");
  }

  @ParameterizedTest
  @CsvSource({"8159, false", "8160, true"})
  void aFieldAsLargeAsTheListIsTheWholeList(int valueBytes, boolean isCut) throws Exception {
    byte[] block = literal(0, "n", "v".repeat(valueBytes));

    HeaderList list = decoder.decode(Unpooled.wrappedBuffer(block));
    assertThat(list.isCut()).isEqualTo(isCut);
    assertThat(list.size()).isEqualTo(isCut ? 0 : 1);
  }

  @Test
  void aBlockOfTheSameBytesMeansSomethingElseWhenTheTableHasChanged() throws Exception {
    decode("40 01 61 01 31");
    for (int i = 0; i < 4; i++) {
      assertThat(decode("82 be").toString()).isEqualTo(":method=GET, a=1");
    }

    decode("40 01 61 01 32");
    assertThat(decode("82 be").toString()).isEqualTo(":method=GET, a=2");

    decode("20"); // sets the table size to 0
    assertThatThrownBy(() -> decode("82 be")).isInstanceOf(ConnectionFault.class);
  }

  @Test
  void aBlockOfTheSameBytesMayBeTooLargeForAnotherConnection() throws Exception {
    String block = "04 0d 2f73616d706c652f6f74686572";
    for (int i = 0; i < 4; i++) {
      assertThat(decode(block).isCut()).isFalse();
    }

    HeaderList cut = new HpackDecoder(48).decode(Unpooled.wrappedBuffer(bytes(block)));
    assertThat(cut.isCut()).isTrue();
    assertThat(cut.size()).isZero();
  }

  @Test
  void aFieldThatMustNotBeIndexedIsNeverKept() throws Exception {
    String password = "10 08 70617373776f7264 06 736563726574";
    HeaderField first = decode(password).field(0);
    HeaderField second = decode(password).field(0);

    assertThat(first.isNeverIndexed()).isTrue();
    assertThat(decode(password).field(0)).isNotSameAs(first).isNotSameAs(second);
    assertThat(decode("00 08 70617373776f7264 06 736563726574").field(0).isNeverIndexed())
        .isFalse();
  }

  /** An HPACK bomb: one large entry that is referenced again and again with one byte each. */
  @Test
  void aListIsMeasuredAsItIsMeantNotAsItIsSent() throws Exception {
    byte[] value = new byte[4000];
    Arrays.fill(value, (byte) 'x');
    byte[] entry = Frames.join(bytes("40 01 61 7f a11e"), value);
    assertThat(decoder.decode(Unpooled.wrappedBuffer(entry)).isCut()).isFalse();

    byte[] bomb = new byte[60_000];
    Arrays.fill(bomb, (byte) 0xbe);

    HeaderList cut = decoder.decode(Unpooled.wrappedBuffer(bomb));
    assertThat(cut.isCut()).isTrue();
    assertThat(cut.size()).as("as many as fit").isEqualTo(2);
    assertThat(decode("be be").size()).as("the table is in step").isEqualTo(2);
  }

  @Test
  void theTableIsInStepAfterAListThatWasTooLarge() throws Exception {
    byte[] large = new byte[9000];
    Arrays.fill(large, (byte) 'x');
    byte[] tooMuch = Frames.join(bytes("00 01 61 7f a945"), large, bytes("40 01 62 01 63"));
    HeaderList cut = decoder.decode(Unpooled.wrappedBuffer(tooMuch));
    assertThat(cut.isCut()).isTrue();
    assertThat(cut.toString()).as("what fits is kept, wherever it stands").isEqualTo("b=c");

    assertThat(decode("be").toString()).isEqualTo("b=c");
  }

  @Test
  void theTableNeverHoldsMoreThanIsAllowed() throws Exception {
    for (int i = 0; i < 3000; i++) {
      String name = "%04x".formatted(i);
      decode("40 04 " + HexFormat.of().formatHex(name.getBytes(StandardCharsets.US_ASCII)) + " 00");
      assertThat(decoder.table.bytes()).isLessThanOrEqualTo(4096);
    }
    assertThat(decoder.table.bytes()).isEqualTo(4096 / 36 * 36);
  }

  @Test
  void anEntryLargerThanTheTableEmptiesIt() throws Exception {
    decode("40 01 61 01 62");
    byte[] large = new byte[4096];
    Arrays.fill(large, (byte) 'x');
    byte[] block = Frames.join(bytes("40 01 61 7f 811f"), large);

    assertThat(decoder.decode(Unpooled.wrappedBuffer(block)).size()).isEqualTo(1);
    assertThat(decoder.table.bytes()).isZero();
  }

  /** Section 5.1 permits trailing zeros; the implementation limits their number. */
  @Test
  void anIntegerMayHaveFiveBytesAndNotMore() throws Exception {
    assertThat(decode("3f 80 80 80 80 00 82").toString()).isEqualTo(":method=GET");

    assertThatThrownBy(() -> decode("3f 80 80 80 80 80 00 82"))
        .hasMessage("header block: integer is too large");
  }

  @Test
  void anIntegerMayHave31Bits() {
    assertThatThrownBy(() -> decode("00 01 61 7f 80 ff ff ff 07"))
        .hasMessage("header block: header block ends within a string");
    assertThatThrownBy(() -> decode("00 01 61 7f 81 ff ff ff 07"))
        .hasMessage("header block: integer is too large");
  }

  private HeaderList decode(String hex) throws ConnectionFault {
    return decoder.decode(Unpooled.wrappedBuffer(bytes(hex)));
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }
}
