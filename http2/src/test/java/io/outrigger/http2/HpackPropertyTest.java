package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** All header lists are decoded unchanged, whatever table sizes the peer sets meanwhile. */
final class HpackPropertyTest {
  /** One event of a connection. */
  private sealed interface Event {
    record Block(List<HeaderField> fields) implements Event {}

    record TableSize(int bytes) implements Event {}
  }

  @Property(tries = 500, seed = "20260101")
  void nettyUnderstandsOurBlocks(@ForAll("courses") List<Event> course) throws Exception {
    var encoder = new HpackEncoder();
    var netty = new NettyHpack(1 << 20);

    for (Event event : course) {
      if (event instanceof Event.TableSize size) {
        encoder.maxTableSize(size.bytes());
        netty.maxTableSize(size.bytes());
      } else if (event instanceof Event.Block block) {
        assertThat(netty.decode(encode(encoder, block)))
            .isEqualTo(block.fields().stream().map(field -> field.stripped().toString()).toList());
      }
    }
  }

  @Property(tries = 500, seed = "20260101")
  void weUnderstandOurBlocks(@ForAll("blocks") List<Event.Block> blocks) throws Exception {
    var encoder = new HpackEncoder();
    var decoder = new HpackDecoder(1 << 20);

    for (Event.Block block : blocks) {
      HeaderList list = decoder.decode(Unpooled.wrappedBuffer(encode(encoder, block)));

      assertThat(list).isNotNull();
      assertThat(list.size()).isEqualTo(block.fields().size());
      for (int i = 0; i < list.size(); i++) {
        HeaderField sent = block.fields().get(i).stripped();
        assertThat(list.field(i).isSame(sent)).as("%s", sent).isTrue();
        assertThat(list.field(i).isNeverIndexed())
            .isEqualTo(sent.isNeverIndexed() || sent.name().isSecret());
        assertThat(list.field(i).fault()).isEqualTo(sent.fault());
      }
    }
  }

  /** Lists that recur use the caches of both sides as long as no table changes. */
  @Property(tries = 300)
  void listsThatRecurArriveAsTheyWere(
      @ForAll("blocks") List<Event.Block> lists, @ForAll("turns") List<Integer> turns)
      throws Exception {
    var encoder = new HpackEncoder();
    var decoder = new HpackDecoder(1 << 20);
    var netty = new NettyHpack(1 << 20);
    List<HeaderList> recurring =
        lists.stream().map(block -> builder(block).buildRecurring()).toList();

    for (int turn : turns) {
      if (turn < 0) {
        int size = -turn;
        encoder.maxTableSize(size);
        netty.maxTableSize(size);
      } else if (!recurring.isEmpty()) {
        HeaderList sent = recurring.get(turn % recurring.size());
        HpackOutput out = encoder.encode(sent);
        byte[] block = Arrays.copyOf(out.bytes(), out.length());

        String arrives =
            IntStream.range(0, sent.size())
                .mapToObj(i -> sent.field(i).stripped().toString())
                .collect(Collectors.joining(", "));
        assertThat(String.join(", ", netty.decode(block))).isEqualTo(arrives);
        assertThat(decoder.decode(Unpooled.wrappedBuffer(block))).hasToString(arrives);
      }
    }
  }

  @Provide
  Arbitrary<List<Integer>> turns() {
    Arbitrary<Integer> lists = Arbitraries.integers().between(0, 5);
    Arbitrary<Integer> sizes = Arbitraries.integers().between(-4096, -1);
    return Arbitraries.frequencyOf(Tuple.of(20, lists), Tuple.of(1, sizes)).list().ofMaxSize(80);
  }

  @Provide
  Arbitrary<List<Event>> courses() {
    Arbitrary<Event> sizes =
        Arbitraries.integers().between(0, 6000).map(bytes -> new Event.TableSize(bytes));
    Arbitrary<Event> blocks = block().map(block -> block);
    return Arbitraries.frequencyOf(Tuple.of(1, sizes), Tuple.of(6, blocks)).list().ofMaxSize(60);
  }

  @Provide
  Arbitrary<List<Event.Block>> blocks() {
    return block().list().ofMaxSize(60);
  }

  private static Arbitrary<Event.Block> block() {
    return field().list().ofMaxSize(8).map(Event.Block::new);
  }

  private static Arbitrary<HeaderField> field() {
    Arbitrary<String> names =
        Arbitraries.of(":path", ":method", "te", "grpc-status", "x-a", "x-b", "cookie", "X", "");
    Arbitrary<String> values =
        Arbitraries.oneOf(
            Arbitraries.of("GET", "trailers", "0", "", "/a.Service/Call", "v".repeat(400)),
            Arbitraries.strings().withCharRange('\0', '\u00ff').ofMaxLength(40),
            Arbitraries.of(126, 127, 128, 255, 3000).map("w"::repeat));
    return Combinators.combine(names, values, Arbitraries.of(false, false, false, true))
        .as(HpackPropertyTest::field);
  }

  private static HeaderField field(String name, String value, boolean never) {
    var known = HeaderName.of(new AsciiString(name));
    byte[] bytes = new AsciiString(value).toByteArray();
    return never
        ? HeaderField.copyOf(known, bytes, 0, bytes.length, true)
        : HeaderField.of(known, new AsciiString(value));
  }

  private static byte[] encode(HpackEncoder encoder, Event.Block block) {
    HpackOutput out = encoder.encode(builder(block).build());
    return Arrays.copyOf(out.bytes(), out.length());
  }

  private static HeaderList.Builder builder(Event.Block block) {
    HeaderList.Builder list = HeaderList.builder(block.fields().size());
    block.fields().forEach(list::add);
    return list;
  }
}
