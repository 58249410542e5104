package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 3986 section 3.2. */
class AuthorityRuleTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "orders.shop:8080",
        "10.0.0.1:80",
        "[::1]",
        "[2001:db8::1]:443",
        "a:",
        "%2Ftmp%2Fapp.sock",
        "A_b~c!$&'()*+,;=",
        "1.2.3.4"
      })
  void whatIsAHostWithAnOptionalPortPasses(String text) {
    assertThat(Forward.isAuthority(new AsciiString(text))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "u:p@h",
        "u@h",
        "a/b",
        "a?b",
        "a#b",
        "a\"b",
        "a b",
        "a\\b",
        ":80",
        "a:b",
        "a:80:81",
        "a:123456",
        "[::1",
        "::1",
        "[]",
        "[::1]x",
        "[a/b]",
        "",
        "a<b",
        "ä"
      })
  void whatIsNotDoesNot(String text) {
    assertThat(Forward.isAuthority(new AsciiString(text))).isFalse();
  }
}
