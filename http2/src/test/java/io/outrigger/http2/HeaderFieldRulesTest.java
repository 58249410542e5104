package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The characters that are allowed in a single field. */
final class HeaderFieldRulesTest {
  private static final String NO_TOKEN = ":method is not a token";
  private static final String NO_SCHEME = ":scheme is not a scheme";
  private static final String BAD_LENGTH = "content-length is not one number";

  /** The characters of a token (RFC 9110 section 5.6.2). */
  private static final String TOKEN_CHARACTERS =
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  /** RFC 3986 section 3.1: the characters after the first one, which is a letter. */
  private static final String SCHEME_CHARACTERS =
      "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

  @Test
  void aMethodIsMadeOfTokenCharactersAlone() {
    for (char c = 0; c < 256; c++) {
      String fault = TOKEN_CHARACTERS.indexOf(c) < 0 ? NO_TOKEN : null;
      assertThat(fault(":method", String.valueOf(c))).as("character %d", (int) c).isEqualTo(fault);
      assertThat(fault(":method", "GET" + c)).as("GET and %d", (int) c).isEqualTo(fault);
    }
  }

  @Test
  void aSchemeIsALetterAndLettersDigitsAndThreeMarks() {
    for (char c = 0; c < 256; c++) {
      boolean letter = c < 128 && Character.isLetter(c);
      String first = letter ? null : NO_SCHEME;
      String next = SCHEME_CHARACTERS.indexOf(c) < 0 ? NO_SCHEME : null;
      assertThat(fault(":scheme", c + "ttp")).as("%d first", (int) c).isEqualTo(first);
      assertThat(fault(":scheme", "h" + c + "p")).as("%d within", (int) c).isEqualTo(next);
    }
    assertThat(fault(":scheme", "")).isEqualTo(NO_SCHEME);
  }

  @ParameterizedTest
  @ValueSource(strings = {"100", "199", "200", "599", "909", "999"})
  void aStatusOfThreeDigitsIsAllowed(String status) {
    assertThat(fault(":status", status)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "099, :status is not a number",
    ":00, :status is not a number",
    "99, :status is not a number",
    "1000, :status is not a number",
    "2:0, :status is not allowed",
    "20/, :status is not allowed",
    "101, :status is not allowed",
  })
  void anyOtherStatusIsNot(String status, String fault) {
    assertThat(fault(":status", status)).isEqualTo(fault);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "9", "1234567890", "999999999999999999", "000000000000000000"})
  void aLengthOfUpToEighteenDigitsIsAllowed(String length) {
    assertThat(fault("content-length", length)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1234567890123456789", "0000000000000000000", "1/2", "1:", "+1"})
  void aLengthThatIsLongerOrNoNumberIsNot(String length) {
    assertThat(fault("content-length", length)).isEqualTo(BAD_LENGTH);
  }

  @ParameterizedTest
  @CsvSource({
    "trailers, true",
    "Trailers, true",
    "TRAILERS, true",
    "trailerz, false",
    "xrailers, false",
    "deflated, false",
    "trailer, false",
    "'trailers,', false",
    "'', false",
  })
  void teIsTrailersInAnyLetterCase(String te, boolean allowed) {
    assertThat(fault("te", te)).isEqualTo(allowed ? null : "te is not trailers");
  }

  private static @Nullable String fault(String name, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
    return HeaderRules.fault(HeaderName.of(new AsciiString(name)), bytes);
  }
}
