package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text of the names that the proxy uses. */
final class KnownNameTest {
  @ParameterizedTest
  @CsvSource({
    "METHOD, :method",
    "AUTHORITY, :authority",
    "CONTENT_LENGTH, content-length",
    "GRPC_TIMEOUT, grpc-timeout",
    "RETRY_PUSHBACK, grpc-retry-pushback-ms",
    "PREVIOUS_ATTEMPTS, grpc-previous-rpc-attempts",
    "OTHER, ''",
  })
  void aNameIsSpelledInLowerCase(KnownName name, String text) {
    assertThat(name.text()).isEqualTo(text);
  }

  @Test
  void eachNameHasABitOfItsOwnAndAnyOtherHasNone() {
    int count = KnownName.values().length - 1;

    int all = Arrays.stream(KnownName.values()).mapToInt(KnownName::bit).reduce(0, (a, b) -> a | b);

    assertThat(Integer.bitCount(all)).isEqualTo(count);
    assertThat(KnownName.OTHER.bit()).isZero();
  }
}
