package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields that are added to the table, and the encoded blocks. */
final class HpackEncoderTest {
  private static final int MAX_LIST_BYTES = 1 << 20;

  private final HpackEncoder encoder = new HpackEncoder();
  private final NettyHpack netty = new NettyHpack(MAX_LIST_BYTES);

  @Test
  void aHeadThatRepeatsIsOneBytePerField() {
    assertUnderstood(Messages.POST);
    assertUnderstood(Messages.POST);

    assertThat(encode(Messages.POST)).hasSize(Messages.POST.size());
  }

  @Test
  void valuesThatDifferEveryTimeLeaveTheTableToThoseThatStay() {
    assertUnderstood(traced(0));
    assertUnderstood(traced(1));
    int settled = encoder.table.bytes();

    for (int i = 2; i < 500; i++) {
      assertUnderstood(traced(i));
    }

    assertThat(encoder.table.bytes()).isEqualTo(settled);
    assertThat(encode(traced(500)))
        .as("seven indexes; an index and a string for the trace")
        .hasSize(7 + 2 + 1 + 55);
  }

  @Test
  void aFieldIsRememberedWhenItComesAgain() {
    assertUnderstood(Messages.list("x-tenant", "first of its name"));
    assertUnderstood(Messages.list("x-tenant", "blue"));
    assertThat(encode(Messages.list("x-tenant", "blue"))).hasSizeGreaterThan(5);

    assertThat(encode(Messages.list("x-tenant", "blue"))).hasSize(1);
  }

  /**
   * Calls of several apps share a connection: a secret that one app sends must not make the blocks
   * of another app shorter.
   */
  @Test
  void secretsGetNoEntry() {
    for (String name : List.of("authorization", "cookie", "proxy-authorization", "set-cookie")) {
      HeaderList secret = Messages.list(name, "Bearer of-one-app");
      for (int i = 0; i < 4; i++) {
        assertUnderstood(secret);
        assertThat(encode(secret)).hasSizeGreaterThan(17);
      }
    }
    assertThat(encoder.table.bytes()).isZero();
  }

  @Test
  void aLargeFieldPushesNothingOut() {
    assertUnderstood(Messages.POST);
    assertUnderstood(Messages.POST);

    for (int i = 0; i < 3; i++) {
      assertUnderstood(Messages.list("x-large", "x".repeat(3000)));
    }

    assertThat(encode(Messages.POST)).hasSize(Messages.POST.size());
  }

  @Test
  void aFieldThatMustNotBeIndexedStaysSoOnTheNextHop() throws Exception {
    byte[] received = HexFormat.of().parseHex("100870617373776f726406736563726574");
    HeaderList list = new HpackDecoder(MAX_LIST_BYTES).decode(Unpooled.wrappedBuffer(received));

    for (int i = 0; i < 3; i++) {
      assertThat(encode(list)).isEqualTo(received);
    }
  }

  @Test
  void aFieldOfTheStaticTableThatMustNotBeIndexedIsSpelled() throws Exception {
    // The name :method by index, the value "GET".
    byte[] received = HexFormat.of().parseHex("1203474554");
    HeaderList list = new HpackDecoder(MAX_LIST_BYTES).decode(Unpooled.wrappedBuffer(received));

    assertThat(encode(list)).isEqualTo(received);
  }

  @Test
  void theLeastTableSizeBetweenTwoBlocksIsToldAndThenTheLast() throws Exception {
    assertUnderstood(Messages.POST);
    encoder.maxTableSize(100);
    encoder.maxTableSize(0);
    encoder.maxTableSize(3000);
    netty.maxTableSize(0);
    netty.maxTableSize(3000);

    byte[] block = encode(Messages.POST);

    assertThat(HexFormat.of().formatHex(block)).startsWith("20" + "3f9917");
    assertThat(netty.decode(block)).isEqualTo(fields(Messages.POST));
    assertUnderstood(Messages.POST);
  }

  @Test
  void aPeerWithoutATableGetsNoEntries() throws Exception {
    encoder.maxTableSize(0);
    netty.maxTableSize(0);

    for (int i = 0; i < 4; i++) {
      assertUnderstood(Messages.POST);
    }

    assertThat(encoder.table.bytes()).isZero();
  }

  /** CVE-2026-93492: the memory that a peer can claim with its table size is limited. */
  @Test
  void aPeerWithAHugeTableGetsOnlySoMuchOfOurMemory() throws Exception {
    encoder.maxTableSize(0xffff_ffffL);
    netty.maxTableSize(Integer.MAX_VALUE);

    for (int i = 0; i < 5000; i++) {
      assertUnderstood(Messages.list("x-name-" + i, "v".repeat(200)));
    }

    assertThat(encoder.table.bytes()).isBetween(3800, 4096);
  }

  @Test
  void aTableThatOnlyGrowsIsToldOnce() throws Exception {
    encoder.maxTableSize(1000);
    netty.maxTableSize(1000);
    assertUnderstood(Messages.POST);
    assertUnderstood(Messages.POST);

    encoder.maxTableSize(2000);
    netty.maxTableSize(2000);
    byte[] block = encode(Messages.POST);

    assertThat(hex(block)).startsWith("3fb10f").hasSize(2 * (3 + Messages.POST.size()));
    assertThat(netty.decode(block)).isEqualTo(fields(Messages.POST));
  }

  /**
   * The size limit of an entry is a quarter of the table, 1024 bytes, of which name and overhead
   * take 35.
   */
  @ParameterizedTest
  @CsvSource({"989, 1024", "990, 0"})
  void aFieldOfUpToAQuarterOfTheTableGetsAnEntry(int length, int tableBytes) {
    assertUnderstood(Messages.list("x-a", "v".repeat(length)));

    assertThat(encoder.table.bytes()).isEqualTo(tableBytes);
  }

  @Test
  void aListThatRecursIsEncodedOnceForAllConnectionsOfALoop() {
    HeaderList recurring = indexesAlone().buildRecurring();
    assertThat(encode(recurring)).containsExactly(0x83, 0x84);

    assertThat(known(recurring)).isEqualTo(encode(recurring));
    HpackSpace.current().blocks.onEncoded(HeaderBlockCache.EMPTY_TABLE, recurring, new byte[] {9});
    HpackOutput ofAnother = new HpackEncoder().encode(recurring);
    assertThat(ofAnother.length()).as("what is known is not found out again").isEqualTo(1);
  }

  @Test
  void neitherAListThatDoesNotRecurNorOneWithALiteralIsKept() {
    HeaderList once = indexesAlone().build();
    HeaderList literal = indexesAlone().add(KnownName.PATH, "/literal").buildRecurring();

    var unused = encode(once);
    unused = encode(literal);

    assertThat(known(once)).isNull();
    assertThat(known(literal)).isNull();
  }

  private static HeaderList.Builder indexesAlone() {
    return HeaderList.builder(3).add(KnownName.METHOD, "POST").add(KnownName.PATH, "/");
  }

  private static byte @Nullable [] known(HeaderList list) {
    return HpackSpace.current().blocks.encoded(HeaderBlockCache.EMPTY_TABLE, list);
  }

  private static HeaderList traced(int call) {
    String[] fields = {
      ":method",
      "POST",
      ":scheme",
      "http",
      ":authority",
      "pay:80",
      ":path",
      "/a.Service/Call",
      "te",
      "trailers",
      "content-type",
      "application/grpc",
      "user-agent",
      "grpc-java/1.80",
      "traceparent",
      "00-%032x-00f067aa0ba902b7-01".formatted(call),
    };
    return Messages.list(fields);
  }

  private void assertUnderstood(HeaderList list) {
    assertThat(netty.decode(encode(list))).isEqualTo(fields(list));
  }

  private byte[] encode(HeaderList list) {
    HpackOutput out = encoder.encode(list);
    return Arrays.copyOf(out.bytes(), out.length());
  }

  private static String hex(byte[] block) {
    return HexFormat.of().formatHex(block);
  }

  private static List<String> fields(HeaderList list) {
    return IntStream.range(0, list.size()).mapToObj(i -> list.field(i).toString()).toList();
  }
}
