package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Access to the fields of a list by position, by known name and by any name. */
final class HeaderListTest {
  private static final AsciiString ONE = new AsciiString("1");

  /** A builder with a larger array than its fields need. */
  private final HeaderList.Builder builder =
      HeaderList.builder(16)
          .add(KnownName.STATUS, new AsciiString("200"))
          .add(new AsciiString("x-twice"), "first")
          .add(KnownName.GRPC_STATUS, "14")
          .add(new AsciiString("x-twice"), new AsciiString("second"))
          .add(KnownName.GRPC_STATUS, "0")
          .add(new AsciiString("x-last"), "end");

  private final HeaderList list = builder.build();

  @ParameterizedTest
  @CsvSource({
    "0, :status, 200",
    "1, x-twice, first",
    "2, grpc-status, 14",
    "3, x-twice, second",
    "4, grpc-status, 0",
    "5, x-last, end",
  })
  void fieldsStandInTheOrderTheyWereAdded(int index, String name, String value) {
    assertThat(list.size()).isEqualTo(6);
    assertThat(list.name(index).toString()).isEqualTo(name);
    assertThat(list.value(index).toString()).isEqualTo(value);
    assertThat(list.field(index)).hasToString(name + "=" + value);
  }

  @ParameterizedTest
  @CsvSource({"STATUS, 200, 200", "GRPC_STATUS, 14, 0", "TE, , ", "OTHER, , "})
  void ofSeveralFieldsOfAKnownNameTheFirstAndTheLastAreFound(
      KnownName name, @Nullable String first, @Nullable String last) {
    assertThat(list.contains(name)).isEqualTo(first != null);
    assertThat(text(list.get(name))).isEqualTo(first);
    assertThat(value(list.find(name))).isEqualTo(first);
    assertThat(value(list.findLast(name))).isEqualTo(last);
  }

  @ParameterizedTest
  @CsvSource({
    ":status, 200",
    "x-twice, first",
    "grpc-status, 14",
    "x-last, end",
    "x-none, ",
    "'', ",
  })
  void theFirstFieldOfAnyNameIsFound(String name, @Nullable String value) {
    assertThat(text(list.get(new AsciiString(name)))).isEqualTo(value);
    assertThat(list.contains(new AsciiString(name))).isEqualTo(value != null);
  }

  @Test
  void aListThatRecursHasTheHashOfItsFields() {
    HeaderList recurring = builder.buildRecurring();

    assertThat(recurring.recurs()).isTrue();
    assertThat(recurring.hash()).isEqualTo(builder.hash()).isNotZero();
    assertThat(recurring.hash()).isNotEqualTo(builder.add(KnownName.TE, ONE).hash());
    assertThat(list.recurs()).isFalse();
    assertThat(list.hash()).isZero();
  }

  /** The hash depends on every field and on their order. */
  @Test
  void theHashIsThatOfTheHashesOfAllFields() {
    int[] hashes = IntStream.range(0, list.size()).map(i -> list.field(i).hash()).toArray();

    assertThat(builder.hash()).isEqualTo(Arrays.hashCode(hashes));
  }

  @Test
  void whatAListTakesOnTheHeapIsToldAsIfItsFieldsWereItsOwn() {
    HeaderList two = Messages.list("x-a", "b", "x-cd", "");

    assertThat(two.heapBytes()).isEqualTo(64 + (4 + 32 + 128) + (4 + 32 + 128));
    assertThat(HeaderList.EMPTY.heapBytes()).isEqualTo(64);
  }

  @Test
  void aListMayHaveMoreFieldsThanWereExpected() {
    HeaderList.Builder few = HeaderList.builder(0);
    for (int i = 0; i < 100; i++) {
      few.add(new AsciiString("x-" + i), "v" + i);
    }

    HeaderList many = few.build();
    assertThat(many.size()).isEqualTo(100);
    for (int i = 0; i < 100; i++) {
      assertThat(many.field(i)).hasToString("x-" + i + "=v" + i);
    }
  }

  @Test
  void aBuilderThatIsClearedServesAgainAndItsCopiesStayAsTheyAre() {
    HeaderList.Builder again = HeaderList.builder(100).add(KnownName.STATUS, "200");
    HeaderList first = again.copy(true);
    again.clear();

    assertThat(again.copy(true)).isSameAs(HeaderList.EMPTY);
    for (int i = 0; i < 100; i++) {
      again.add(KnownName.GRPC_STATUS, "0");
    }

    assertThat(first).hasToString(":status=200");
    assertThat(first.recurs()).isTrue();
    assertThat(again.copy(false).size()).isEqualTo(100);
    assertThat(again.copy(false).recurs()).isFalse();
    assertThat(again.copy(false).contains(KnownName.STATUS)).isFalse();
  }

  @Test
  void aListOfWhichOnlySomeFieldsFitSaysSo() {
    HeaderList cut = builder.cut();

    assertThat(cut.isCut()).isTrue();
    assertThat(cut.recurs()).isFalse();
    assertThat(cut)
        .hasToString(
            ":status=200, x-twice=first, grpc-status=14, x-twice=second,"
                + " grpc-status=0, x-last=end");
    assertThat(list.isCut()).isFalse();
  }

  @Test
  void aListIsTheSameWhenItHasEqualFieldsAndNoMore() {
    assertThat(builder.isSame(builder.copy(false))).isTrue();

    HeaderList.Builder equal = HeaderList.builder(6);
    HeaderList.Builder other = HeaderList.builder(6);
    HeaderList.Builder shorter = HeaderList.builder(6);
    for (int i = 0; i < 5; i++) {
      equal.add(list.field(i));
      other.add(list.field(i));
      shorter.add(list.field(i));
    }
    equal.add(HeaderField.of(list.field(5).name(), list.value(5)));
    other.add(HeaderField.of(list.field(5).name(), new AsciiString("other")));

    assertThat(equal.isSame(list)).as("another object in it").isTrue();
    assertThat(other.isSame(list)).as("another value in it").isFalse();
    assertThat(shorter.isSame(list)).as("one less").isFalse();
    assertThat(builder.isSame(shorter.copy(false))).as("one more").isFalse();
  }

  /**
   * The size as defined in RFC 9113 section 6.5.2: for each field 32 bytes, its name and its value.
   */
  @ParameterizedTest
  @CsvSource({
    "1, 0, true",
    "2016, 0, true",
    "2017, 0, false",
    "5000, 0, false",
    "2016, 1, false",
    "1008, 1008, false",
    "1008, 976, true",
    "992, 992, true",
    "992, 993, false",
  })
  void aSmallListMayBeKept(int firstLength, int secondLength, boolean kept) {
    HeaderList.Builder fields = HeaderList.builder(8).add(ofLength(firstLength));
    if (secondLength > 0) {
      fields.add(ofLength(secondLength));
    }

    assertThat(fields.isCacheable()).isEqualTo(kept);
    assertThat(fields.buildRecurring().recurs()).isEqualTo(kept);
  }

  @Test
  void aListWithAFieldThatMustNotBeIndexedIsNotKept() {
    HeaderName name = HeaderName.of(new AsciiString("x-token"));

    builder.add(HeaderField.copyOf(name, new byte[] {'s'}, 0, 1, true)).add(KnownName.TE, ONE);

    assertThat(builder.isCacheable()).isFalse();
  }

  /** A field whose name and value have {@code length} bytes together. */
  private static HeaderField ofLength(int length) {
    return HeaderField.of(
        HeaderName.of(new AsciiString("x")), new AsciiString("v".repeat(length - 1)));
  }

  private static @Nullable String value(@Nullable HeaderField field) {
    return field == null ? null : field.value().toString();
  }

  private static @Nullable String text(@Nullable AsciiString value) {
    return value == null ? null : value.toString();
  }
}
