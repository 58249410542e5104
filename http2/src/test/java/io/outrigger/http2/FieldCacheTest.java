package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Text that is received again yields the cached object, unless the text is too long for the cache.
 */
final class FieldCacheTest {
  private static final HeaderField TE = HeaderField.of(KnownName.TE, "trailers");
  private static final AsciiString LAST = new AsciiString("x-last");

  private final FieldCache cache = new FieldCache();
  private final Map<String, HeaderField> made = new HashMap<>();

  @ParameterizedTest
  @CsvSource({"1, true", "256, true", "257, false", "5000, false"})
  void aNameThatComesAgainIsTheSameUnlessItIsLong(int length, boolean kept) {
    HeaderName first = name("n".repeat(length));
    HeaderName second = name("n".repeat(length));

    assertThat(second.isSame(first)).isTrue();
    assertThat(second == first).isEqualTo(kept);
  }

  @Test
  void namesStandAnywhereInABlock() {
    byte[] block = "??x-name??".getBytes(StandardCharsets.US_ASCII);

    HeaderName within = cache.name(block, 2, 6);

    assertThat(within).hasToString("x-name");
    assertThat(name("x-name")).isSameAs(within);
  }

  /** A field is not cached at its first occurrence, because it may never occur again. */
  @ParameterizedTest
  @CsvSource({"1, true", "250, true", "251, false", "5000, false"})
  void aFieldIsTheSameFromItsSecondTimeOnUnlessItIsLong(int length, boolean kept) {
    HeaderField first = field("x-name", "v".repeat(length));
    HeaderField second = field("x-name", "v".repeat(length));
    HeaderField third = field("x-name", "v".repeat(length));

    assertThat(second).isNotSameAs(first);
    assertThat(third.isSame(first)).isTrue();
    assertThat(third == second).isEqualTo(kept);
  }

  @Test
  void fieldsOfOneValueAreToldApartByTheirNames() {
    for (int i = 0; i < 3; i++) {
      assertThat(field("x-one", "v")).hasToString("x-one=v");
      assertThat(field("x-two", "v")).hasToString("x-two=v");
    }
  }

  /**
   * There are 64 sets of names; several places of each set are used, and the oldest entry is
   * evicted.
   */
  @Test
  void manyNamesAreKnownAtATimeAndAllAreToldApart() {
    List<HeaderName> names = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      names.add(name("x-" + i));
      assertThat(names.get(i)).hasToString("x-" + i);
    }

    int known = 0;
    for (int i = 1999; i >= 1800; i--) { // the newest first: a lookup does not change the order
      known += name("x-" + i) == names.get(i) ? 1 : 0;
    }
    assertThat(known).isBetween(65, 199);
  }

  /** There are enough values for every set to get one. */
  @Test
  void manyFieldsAreToldApart() {
    for (int i = 0; i < 10_000; i++) {
      for (int time = 0; time < 2; time++) { // a field is cached at its second occurrence
        assertThat(field("x-name", "v" + i)).hasToString("x-name=v" + i);
      }
    }
  }

  @Test
  void moreFieldsAreKnownThanThereAreSets() {
    HeaderField[] fields = new HeaderField[400];
    for (int i = 0; i < fields.length; i++) {
      var unused = field("x-name", "v" + i);
      fields[i] = field("x-name", "v" + i);
    }

    int known = 0;
    for (int i = fields.length - 1; i >= 0; i--) {
      known += field("x-name", "v" + i) == fields[i] ? 1 : 0;
    }
    assertThat(known).isGreaterThan(256);
  }

  @Test
  void aListIsTheSameFromItsSecondTimeOn() {
    HeaderList first = cache.list(fields("1"));
    HeaderList second = cache.list(fields("1"));

    assertThat(first.recurs()).isFalse();
    assertThat(first).hasToString("te=trailers, x-last=1");
    assertThat(second.recurs()).isTrue();
    assertThat(second).hasToString("te=trailers, x-last=1");
    assertThat(cache.list(fields("1"))).isSameAs(second);
  }

  @Test
  void aListOfEqualFieldsThatAreOtherObjectsIsAnotherOne() {
    var unused = cache.list(fields("1"));
    HeaderList known = cache.list(fields("1"));

    HeaderField equal = HeaderField.of(known.field(1).name(), known.value(1));
    HeaderList other = cache.list(HeaderList.builder(8).add(TE).add(equal));

    assertThat(other).isNotSameAs(known);
    assertThat(other.field(1)).isSameAs(equal);
  }

  @Test
  void aListThatIsLargeOrMustNotBeRememberedIsMadeEachTime() {
    HeaderField large = HeaderField.of(KnownName.PATH, "/" + "x".repeat(2048));
    HeaderName name = HeaderName.of(KnownName.PATH);
    HeaderField secret = HeaderField.neverIndexed(name, new byte[] {'/'}, 0, 1);

    for (HeaderField field : List.of(large, secret)) {
      HeaderList last = HeaderList.EMPTY;
      for (int i = 0; i < 4; i++) {
        HeaderList next = cache.list(HeaderList.builder(2).add(field));
        assertThat(next.recurs()).isFalse();
        assertThat(next.field(0)).isSameAs(field);
        assertThat(next).isNotSameAs(last);
        last = next;
      }
    }
  }

  /** There are 32 sets of lists. */
  @Test
  void moreListsAreKnownThanThereAreSets() {
    HeaderList[] lists = new HeaderList[64];
    HeaderField[] last = new HeaderField[64];
    for (int i = 0; i < lists.length; i++) {
      last[i] = HeaderField.of(KnownName.GRPC_MESSAGE, "number " + i);
      var unused = cache.list(HeaderList.builder(2).add(TE).add(last[i]));
      lists[i] = cache.list(HeaderList.builder(2).add(TE).add(last[i]));
    }

    int known = 0;
    for (int i = lists.length - 1; i >= 0; i--) {
      known += cache.list(HeaderList.builder(2).add(TE).add(last[i])) == lists[i] ? 1 : 0;
    }
    assertThat(known).isGreaterThan(32);
  }

  /** There are enough values for every set to get one. */
  @Test
  void manyListsAreToldApart() {
    for (int i = 0; i < 2000; i++) {
      assertThat(cache.list(fields("" + i))).hasToString("te=trailers, x-last=" + i);
    }
  }

  /** Each text has one object. */
  private HeaderList.Builder fields(String last) {
    HeaderField field =
        made.computeIfAbsent(
            last, text -> HeaderField.of(HeaderName.of(LAST), new AsciiString(text)));
    return HeaderList.builder(8).add(TE).add(field);
  }

  private HeaderName name(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return cache.name(bytes, 0, bytes.length);
  }

  private HeaderField field(String name, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
    return cache.field(HeaderName.of(new AsciiString(name)), bytes, 0, bytes.length);
  }
}
