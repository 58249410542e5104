package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import io.outrigger.testing.Conformance;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegexDecoderTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/pkg\\.Svc/(Get|List).*",
        "(?i)[a-z]+",
        "[[:alpha:]]{3,5}",
        "[](){}]+",
        "[^](]*",
        "a{1000}",
        "(ab{10}){100}",
        "x{,5}",
        "\\(\\(\\(",
        "\\pL+",
        "\\Q((\\E",
      })
  void ordinaryExpressionIsTaken(String regex) {
    var errors = FieldErrors.ofResource();

    assertThat(decode(regex, errors)).isTrue();
    assertThat(errors.all()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "[a", "a**", "a{1001}", "(?=x)", "\\1", "\\", "*"})
  void whatRe2DoesNotUnderstandIsRefusedWithTheReason(String regex) {
    var errors = FieldErrors.ofResource();

    assertThat(decode(regex, errors)).isFalse();
    assertThat(errors.all().stream().map(FieldError::toString))
        .singleElement()
        .asString()
        .startsWith("safe_regex.regex: invalid RE2 expression \"" + regex + "\": ");
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource
  @Timeout(60)
  void expressionThatWouldExhaustTheProcessIsRefused(String regex, String reason) {
    var errors = FieldErrors.ofResource();

    assertThat(decode(regex, errors)).isFalse();
    assertThat(errors.all()).singleElement().asString().contains(reason);
  }

  static Stream<Arguments> expressionThatWouldExhaustTheProcessIsRefused() {
    return Stream.of(
        Arguments.of("((a{1000}){1000}){1000}", "counted repetitions"),
        Arguments.of("(((((a{30}){30}){30}){30}){30}){30}", "counted repetitions"),
        Arguments.of("(".repeat(40) + "a" + "{2})".repeat(40), "counted repetitions"),
        Arguments.of("a{1000}".repeat(200), "counted repetitions"),
        Arguments.of("(a{1000}b{1000}){99999999999999999999}", "counted repetitions"),
        Arguments.of("(".repeat(8000), "nested"),
        Arguments.of("(?:".repeat(300) + "a" + ")".repeat(300), "nested"),
        Arguments.of("a".repeat(RegexDecoder.MAX_LENGTH + 1), "characters"));
  }

  @Test
  void longestAndDeepestPermittedExpressionsCompile() {
    var errors = FieldErrors.ofResource();
    int depth = RegexDecoder.MAX_DEPTH;

    assertThat(decode("a|".repeat(RegexDecoder.MAX_LENGTH / 2), errors)).isTrue();
    assertThat(decode("(".repeat(depth) + "a" + ")".repeat(depth), errors)).isTrue();
    assertThat(decode("(a{1000}b{900}){50}", errors)).isTrue();
  }

  @Test
  @Timeout(60)
  @Conformance("A28-10")
  void matchingTakesNoExponentialTime() {
    var pattern =
        RegexDecoder.decode(
                RegexMatcher.newBuilder().setRegex("(.*a){20}").build(), FieldErrors.ofResource())
            .orElseThrow();

    assertThat(pattern.matches("a".repeat(100) + "b")).isFalse();
  }

  private static boolean decode(String regex, FieldErrors errors) {
    return RegexDecoder.decode(
            RegexMatcher.newBuilder().setRegex(regex).build(), errors.at("safe_regex"))
        .isPresent();
  }
}
