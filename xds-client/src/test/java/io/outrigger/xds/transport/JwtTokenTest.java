package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JwtTokenTest {
  /** A token with these claims, signed by nobody. */
  static String token(String claims) {
    return part("{\"alg\":\"none\"}") + "." + part(claims) + ".c2lnbmVk";
  }

  private static String part(String json) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void theTextIsTheFileWithoutItsLineEnd() {
    String text = token("{\"sub\":\"sidecar\",\"exp\":1767225600,\"aud\":[\"a\"]}");

    JwtToken token = JwtToken.parse("  " + text + "\r\n");

    assertThat(token).isEqualTo(new JwtToken(text, Instant.parse("2026-01-01T00:00:00Z")));
    assertThat(token.toString()).doesNotContain(text.substring(0, 8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                    | no exp claim",
        "{\"exp\":\"soon\"}    | no exp claim",
        "{\"exp\":null}        | no exp claim",
        "{\"exp\":1e300}       | not a time",
        "[1]                   | not base64url of a JSON object",
        "{\"exp\":             | not base64url of a JSON object",
      })
  void claimsWithoutAnEndAreRefused(String claims, String reason) {
    assertThatThrownBy(() -> JwtToken.parse(token(claims)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource({"''", "a.b", "a.b.c.d", "a b.c.d", "'a.b\nx: y.c'"})
  void whatIsNoTokenIsRefused(String content) {
    assertThatThrownBy(() -> JwtToken.parse(content))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("three parts");
  }
}
