package io.outrigger.config.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteKeyTest {
  @ParameterizedTest(name = "{0} begins with \"{1}\"")
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "/pkg\\.Svc/Get.*, /pkg.svc/get",
        "^/pkg/, /pkg/",
        "/a+b, /a",
        "/ab?c, /a",
        "/ab*, /a",
        "\"/ab{2}\", /a",
        "/a[bc], /a",
        "/a(b)?, /a",
        "/a\\d+, /a",
        "/a\\Q.\\E, /a",
        "/a|/b, \"\"",
        "/a(b|c), \"\"",
        ".*Get, \"\"",
        "(?i)/A, \"\"",
        "\"\", \"\"",
      })
  void aRegexIsSortedByTheLiteralItBeginsWith(String regex, String key) {
    assertThat(RouteKey.of(new PathMatcher.Regex(Pattern.compile(regex)))).isEqualTo(key);
  }

  @Test
  void letterCaseIsLeftToTheMatcher() {
    assertThat(RouteKey.of(new PathMatcher.Exact("/Pkg.Svc/Get", true))).isEqualTo("/pkg.svc/get");
    assertThat(RouteKey.of(new PathMatcher.Prefix("/Pkg", false))).isEqualTo("/pkg");
  }

  @Test
  void lettersBeyondAsciiEndAKey() {
    assertThat(RouteKey.of(new PathMatcher.Exact("/caf\u00e9/x", true))).isEqualTo("/caf");
  }
}
