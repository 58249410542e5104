package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Fields created from text, and their index in HPACK's static table. */
final class HeaderFieldTest {
  private static final AsciiString VALUE = new AsciiString("trailers");

  @Test
  void aFieldOfAKnownNameHasThatNameAndItsValue() {
    HeaderField ofBytes = HeaderField.of(KnownName.TE, VALUE);
    HeaderField ofText = HeaderField.of(KnownName.TE, "trailers");

    assertThat(ofBytes.known()).isEqualTo(KnownName.TE);
    assertThat(ofBytes).hasToString("te=trailers");
    assertThat(ofText).hasToString("te=trailers");
    assertThat(ofText.isSame(ofBytes)).isTrue();
    assertThat(ofText.isSame(HeaderField.of(KnownName.TE, "trailer"))).isFalse();
  }

  @Test
  void aValueThatIsPartOfALongerTextIsThatPartAlone() {
    AsciiString whole = new AsciiString("te: trailers, gzip");
    AsciiString part = whole.subSequence(4, 12, false);

    HeaderField field = HeaderField.of(HeaderName.of(KnownName.TE), part);

    assertThat(field).hasToString("te=trailers");
    assertThat(field.size()).isEqualTo(2 + 8 + 32);
    assertThat(field.isSame(HeaderField.of(KnownName.TE, "trailers"))).isTrue();
  }

  /** A value in an array of its own is not copied: the caller promises not to change the array. */
  @Test
  void aValueThatIsAWholeTextIsNotCopied() {
    assertThat(HeaderField.of(KnownName.TE, VALUE).bytes()).isSameAs(VALUE.array());
  }

  /** Otherwise a value received with one name would count as known for every name. */
  @Test
  void fieldsOfOneValueHaveTheHashesOfTheirNames() {
    HeaderField one = field("x-one", "v");
    HeaderField two = field("x-two", "v");

    assertThat(one.hash()).isNotEqualTo(two.hash()).isEqualTo(field("x-one", "v").hash());
    assertThat(one.name().hash()).isNotEqualTo(two.name().hash());
  }

  static IntStream staticIndexes() {
    return IntStream.rangeClosed(1, StaticTable.SIZE);
  }

  @ParameterizedTest
  @MethodSource("staticIndexes")
  void aFieldOfTheStaticTableHasItsIndex(int index) {
    String value = new String(StaticTable.value(index), StandardCharsets.US_ASCII);
    HeaderField field = field(StaticTable.name(index), value);

    assertThat(field.staticIndex()).isEqualTo(index);
  }

  @ParameterizedTest
  @CsvSource({
    ":method, PUT",
    ":method, POS",
    ":method, ''",
    ":path, /index.htm",
    ":status, 201",
    "www-authenticate, x",
    "x-other, ''",
    ":path, ''",
  })
  void aFieldThatIsNotInTheStaticTableHasNoIndex(String name, String value) {
    assertThat(field(name, value).staticIndex()).isZero();
  }

  private static HeaderField field(String name, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
    return HeaderField.of(HeaderName.of(new AsciiString(name)), new AsciiString(bytes, false));
  }
}
