package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Error codes, including undefined ones. */
final class Http2ErrorTest {
  @ParameterizedTest
  @EnumSource
  void eachIsFoundByItsNumber(Http2Error error) {
    assertThat(Http2Error.ofCode(error.code())).isEqualTo(error);
  }

  @ParameterizedTest
  @ValueSource(longs = {14, 15, 0xffff_ffffL, -1})
  void unknownNumbersAreInternalErrors(long code) {
    assertThat(Http2Error.ofCode(code)).isEqualTo(Http2Error.INTERNAL_ERROR);
  }

  @Test
  void theLastOneIsKnown() {
    assertThat(Http2Error.ofCode(13)).isEqualTo(Http2Error.HTTP_1_1_REQUIRED);
  }
}
