package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks are found in the cache again as long as the table has not changed. */
final class HeaderBlockCacheTest {
  private static final long EMPTY = HeaderBlockCache.EMPTY_TABLE;

  private final HeaderBlockCache cache = new HeaderBlockCache();
  private final HeaderList list = recurring("1");

  private HeaderList onDecoded(int key, byte[] block, int length) {
    return cache.onDecoded(key, EMPTY, block, length, fields("1"));
  }

  @Test
  void everyChangeOfATableLeadsToAStateThatNoneWasIn() {
    assertThat(List.of(EMPTY, cache.nextState(), cache.nextState(), cache.nextState()))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource({"1, true", "255, true", "256, true", "257, false", "1000, false"})
  void aBlockThatCameTwiceIsKnownUnlessItIsLong(int length, boolean known) {
    byte[] block = filled(1000, 1);
    int key = HeaderBlockCache.keyOf(EMPTY, block, length);

    HeaderList first = onDecoded(key, block, length);
    assertThat(first.recurs()).isFalse();
    assertThat(cache.decoded(key, EMPTY, block, length)).as("it came once").isNull();
    HeaderList second = onDecoded(key, block, length);

    assertThat(second).hasToString("x-value=1").isNotSameAs(first);
    assertThat(second.recurs()).isEqualTo(known);
    assertThat(cache.decoded(key, EMPTY, block, length) == second).isEqualTo(known);
    assertThat(key != 0).isEqualTo(known);
  }

  @Test
  void aBlockOfOtherBytesOrOfAnotherStateIsNotKnown() {
    byte[] block = filled(10, 1);
    int key = HeaderBlockCache.keyOf(EMPTY, block, 10);
    var unused = onDecoded(key, block, 10);
    HeaderList second = onDecoded(key, block, 10);

    assertThat(cache.decoded(key, EMPTY, block, 10)).isSameAs(second);
    assertThat(cache.decoded(key, EMPTY, block, 9)).isNull();
    assertThat(cache.decoded(key, EMPTY, filled(10, 2), 10)).isNull();
    assertThat(cache.decoded(key, 7, block, 10)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"1, true", "256, true", "257, false", "1000, false"})
  void whatAListBecameIsKnownUnlessItIsLong(int length, boolean known) {
    byte[] block = filled(length, 1);
    assertThat(cache.encoded(EMPTY, list)).isNull();

    cache.onEncoded(EMPTY, list, block);

    assertThat(cache.encoded(EMPTY, list) == block).isEqualTo(known);
  }

  @Test
  void whatAnotherListBecameOrThisOneInAnotherStateIsNotKnown() {
    cache.onEncoded(EMPTY, list, filled(10, 1));

    assertThat(cache.encoded(EMPTY, recurring("1"))).as("an equal list").isNull();
    assertThat(cache.encoded(7, list)).isNull();
  }

  /** There are 32 sets. If each set had one place, alternating lists would evict each other. */
  @Test
  void manyListsAreKnownAtATime() {
    List<HeaderList> lists = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      HeaderList next = recurring("of number " + i);
      lists.add(next);
      cache.onEncoded(EMPTY, next, filled(10, i));
    }

    assertThat(lists.stream().filter(next -> cache.encoded(EMPTY, next) != null))
        .hasSizeGreaterThan(32)
        .allSatisfy(next -> assertThat(cache.encoded(EMPTY, next)).isEqualTo(blockOf(lists, next)));
  }

  @Test
  void manyBlocksAreKnownAtATime() {
    int known = 0;
    for (int i = 0; i < 64; i++) {
      byte[] block = filled(10, i);
      int key = HeaderBlockCache.keyOf(EMPTY, block, 10);
      var unused = onDecoded(key, block, 10);
      unused = onDecoded(key, block, 10);
    }

    for (int i = 0; i < 64; i++) {
      byte[] block = filled(10, i);
      int key = HeaderBlockCache.keyOf(EMPTY, block, 10);
      known += cache.decoded(key, EMPTY, block, 10) == null ? 0 : 1;
    }
    assertThat(known).isGreaterThan(32);
  }

  /** There are enough blocks for the last set to get one, too. */
  @Test
  void whatNeverCameIsNotKnownWhateverItsHash() {
    for (int state = 0; state < 1000; state++) {
      byte[] block = filled(10, state);
      int key = HeaderBlockCache.keyOf(state, block, 10);
      assertThat(cache.decoded(key, state, block, 10)).isNull();
      assertThat(cache.encoded(state, list)).isNull();
    }
  }

  @Test
  void equalListsOfSeveralBlocksAreOneObject() {
    HeaderList last = HeaderList.EMPTY;
    for (int i = 0; i < 3; i++) {
      byte[] block = filled(10, i);
      int key = HeaderBlockCache.keyOf(EMPTY, block, 10);
      var unused = onDecoded(key, block, 10);
      HeaderList list = onDecoded(key, block, 10);
      if (i > 0) {
        assertThat(list).isSameAs(last);
      }
      last = list;
    }
  }

  @Test
  void aListThatIsLargeOrMustNotBeRememberedIsMadeEachTime() {
    HeaderField large = HeaderField.of(KnownName.PATH, "/" + "x".repeat(2048));
    HeaderName name = HeaderName.of(KnownName.PATH);
    HeaderField secret = HeaderField.copyOf(name, new byte[] {'/'}, 0, 1, true);

    for (HeaderField field : List.of(large, secret)) {
      byte[] block = filled(10, field == large ? 1 : 2);
      int key = HeaderBlockCache.keyOf(EMPTY, block, 10);
      for (int i = 0; i < 3; i++) {
        HeaderList list = cache.onDecoded(key, EMPTY, block, 10, HeaderList.builder(2).add(field));
        assertThat(list.recurs()).isFalse();
      }
      assertThat(cache.decoded(key, EMPTY, block, 10)).isNull();
    }
  }

  private static byte[] blockOf(List<HeaderList> lists, HeaderList list) {
    return filled(10, lists.indexOf(list));
  }

  private static byte[] filled(int length, int with) {
    byte[] block = new byte[length];
    Arrays.fill(block, (byte) with);
    return block;
  }

  private static HeaderList recurring(String value) {
    return fields(value).buildRecurring();
  }

  private static HeaderList.Builder fields(String value) {
    return HeaderList.builder(1).add(new AsciiString("x-value"), value);
  }
}
