package io.outrigger.identity.token;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.outrigger.identity.certificate.CredentialFile;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import io.outrigger.xds.testing.Jwt;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Token files: any bytes are read, or there is {@link NoToken}. */
class TokenBytesRandomTest {
  private static final int RUNS = 3000;

  private static void read(String content) throws NoToken {
    JwtTokenFile.of(new CredentialFile("file", "/f", content), Instant.EPOCH);
  }

  static Stream<Case> readers() {
    return Stream.of(
        Case.ofText(
            "claims of a JWT",
            NoToken.class,
            bytes -> read(Jwt.of(new String(bytes, UTF_8))),
            Shape.JSON,
            "{\"sub\": \"a\", \"exp\": 1764000000, \"aud\": [\"istio-ca\"], \"n\": {\"a\": null}}"),
        Case.ofText(
            "JWT",
            NoToken.class,
            bytes -> read(new String(bytes, UTF_8)),
            Shape.BYTES,
            Jwt.of("{\"exp\": 1764000000}")));
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}
