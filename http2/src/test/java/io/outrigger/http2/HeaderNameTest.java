package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The names that the proxy uses. */
final class HeaderNameTest {
  @ParameterizedTest
  @EnumSource(value = KnownName.class, names = "OTHER", mode = Mode.EXCLUDE)
  void aKnownNameIsOneObjectWhoeverAsksForIt(KnownName known) {
    HeaderName name = HeaderName.of(known);

    assertThat(name.known()).isEqualTo(known);
    assertThat(name).hasToString(known.text());
    assertThat(HeaderName.of(new AsciiString(known.text()))).isSameAs(name);
  }

  @ParameterizedTest
  @CsvSource({
    "x_forwarded_client_cert, FORWARDED_CLIENT_CERT",
    "x-forwarded_client-cert, FORWARDED_CLIENT_CERT",
    "x-forwarded-client-cert_, OTHER",
    "x.forwarded-client-cert, OTHER",
    "grpc_status, OTHER"
  })
  void underscoresDoNotHideTheCertificateOfACaller(String name, KnownName known) {
    assertThat(HeaderName.of(new AsciiString(name)).known()).isEqualTo(known);
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    assertThat(HeaderName.of(bytes, 0, bytes.length).known()).isEqualTo(known);
  }
}
