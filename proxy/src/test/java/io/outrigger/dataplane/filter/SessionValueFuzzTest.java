package io.outrigger.dataplane.filter;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that any text in a session cookie either is rejected, or is a session that encodes to the
 * same content.
 */
final class SessionValueFuzzTest {
  static Stream<byte[]> seeds() {
    return Stream.of("", "MTI3LjAuMC4xOjgwO2M=", "WzoxXTo4MCwxMjcuMC4wLjE6ODA7Yw==", "====")
        .map(text -> text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Conformance("A55-03")
  @MethodSource("seeds")
  @FuzzTest
  void anyCookie(byte[] bytes) {
    SessionFilter.Value.decode(new String(bytes, StandardCharsets.ISO_8859_1))
        .ifPresent(
            session -> assertThat(SessionFilter.Value.decode(session.encode())).contains(session));
  }
}
