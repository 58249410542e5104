package io.outrigger.config.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatcherTest {
  @Conformance("A28-03")
  @ParameterizedTest(name = "{0} {1} case {2}: {3} -> {4}")
  @CsvSource({
    "prefix, /a,  true,  /ab, true",
    "prefix, /a,  true,  /Ab, false",
    "prefix, /a,  false, /Ab, true",
    "prefix, '',  true,  /x,  true",
    "prefix, /ab, true,  /a,  false",
    "path,   /a,  true,  /a,  true",
    "path,   /a,  true,  /ab, false",
    "path,   /a,  true,  /A,  false",
    "path,   /a,  false, /A,  true",
    "regex,  /a+, true,  /aaa, true",
    "regex,  /a+, true,  /aab, false",
    "regex,  /a+, false, /AA, false",
  })
  void pathsMatch(String kind, String pattern, boolean caseSensitive, String path, boolean hit) {
    StringMatcher matcher =
        switch (kind) {
          case "prefix" -> new StringMatcher.Prefix(pattern, !caseSensitive);
          case "path" -> new StringMatcher.Exact(pattern, !caseSensitive);
          default -> new StringMatcher.Regex(Pattern.compile(pattern));
        };

    assertThat(matcher.matches(path)).isEqualTo(hit);
  }

  @ParameterizedTest
  @CsvSource({"''", "/a", "größe", "値", "😀"})
  void wireTextIsReadAsItWasWritten(String text) {
    String wire = WireText.of(text);

    assertThat(wire.chars()).allMatch(c -> c < 0x100);
    assertThat(wire).hasSize(text.getBytes(StandardCharsets.UTF_8).length);
    assertThat(WireText.read(wire)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"/gr\u00f6\u00dfe", "\u00c3", "\u00ff\u00fe"})
  void whatIsNoUtf8IsReadByteForByte(String wire) {
    assertThat(WireText.read(wire)).isEqualTo(wire);
    assertThat(new StringMatcher.Regex(Pattern.compile(".{" + wire.length() + "}")).matches(wire))
        .isTrue();
  }

  /** The part that every match contains must be right, or too little matches. */
  @Test
  void partOfARegularExpressionChangesNoResult() {
    String[] pieces = {
      ".*", ".", "*", "a", "b", "+", "?", "|", "(", ")", "[ab]", "\\", "{2}", "^", "$"
    };
    var random = new Random(1);
    int compared = 0;
    for (int i = 0; i < 20_000; i++) {
      String regex =
          IntStream.range(0, 1 + random.nextInt(5))
              .mapToObj(n -> pieces[random.nextInt(pieces.length)])
              .collect(Collectors.joining());
      Pattern pattern;
      try {
        pattern = Pattern.compile(regex);
      } catch (PatternSyntaxException notOne) {
        continue;
      }
      var matcher = new StringMatcher.Regex(pattern);
      for (String text : List.of("", "a", "b", "ab", "ba", "aab", "abab", ".", "a.", "a.b")) {
        assertThat(matcher.matches(text)).as("%s %s", regex, text).isEqualTo(pattern.matches(text));
      }
      compared++;
    }
    assertThat(compared).isGreaterThan(5_000);
    assertThat(new StringMatcher.Regex(Pattern.compile(".*/ns/a/.*")).part()).isEqualTo("/ns/a/");
  }

  /** An expression is Unicode text; the text of a request has one character for each byte. */
  @Conformance("A28-03")
  @ParameterizedTest
  @CsvSource({"gr.ße", ".*öß.*"})
  void regularExpressionsReadUtf8(String regex) {
    var matcher = new StringMatcher.Regex(Pattern.compile(regex));

    assertThat(matcher.matches(WireText.of("größe"))).isTrue();
  }

  /** Whoever backtracks needs years for it, the JDK with all that it remembers included. */
  @Conformance("A28-10")
  @Test
  void regularExpressionsDoNotBacktrack() {
    var pattern = Pattern.compile("(.*a){20}");
    String text = "a".repeat(100) + "b";

    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          assertThat(new StringMatcher.Regex(pattern).matches(text)).isFalse();
        });
  }

  @Conformance({"A28-06", "A63-01", "A63-03"})
  @ParameterizedTest(name = "{0} {1} ignoring case {2}: {3} -> {4}")
  @CsvSource({
    "exact,    ab,  false, ab,   true",
    "exact,    ab,  false, AB,   false",
    "exact,    ab,  true,  AB,   true",
    "prefix,   ab,  false, abc,  true",
    "prefix,   ab,  false, a,    false",
    "prefix,   ab,  true,  ABc,  true",
    "suffix,   bc,  false, abc,  true",
    "suffix,   bc,  false, c,    false",
    "suffix,   bc,  true,  aBC,  true",
    "contains, b,   false, abc,  true",
    "contains, B,   false, abc,  false",
    "contains, B,   true,  abc,  true",
    "regex,    a.c, false, abc,  true",
    "regex,    a.c, false, abcd, false",
    "regex,    a.c, true,  ABC,  false",
  })
  void textsMatch(String kind, String pattern, boolean ignoreCase, String value, boolean hit) {
    StringMatcher matcher =
        switch (kind) {
          case "exact" -> new StringMatcher.Exact(pattern, ignoreCase);
          case "prefix" -> new StringMatcher.Prefix(pattern, ignoreCase);
          case "suffix" -> new StringMatcher.Suffix(pattern, ignoreCase);
          case "contains" -> new StringMatcher.Contains(pattern, ignoreCase);
          default -> new StringMatcher.Regex(Pattern.compile(pattern));
        };

    assertThat(matcher.matches(value)).isEqualTo(hit);
    assertThat(new HeaderMatcher.Value("h", matcher, true).matches(value)).isEqualTo(!hit);
  }

  @Conformance("A28-07")
  @ParameterizedTest(name = "[{0}, {1}) {2} -> {3}")
  @CsvSource({
    "10, 20, 10, true",
    "10, 20, 19, true",
    "10, 20, 20, false",
    "10, 20, 9,  false",
    "-5, 0,  -1, true",
    "10, 20, x,  false",
    "10, 20, 1.5, false",
    "10, 20, '', false",
  })
  void rangesAreHalfOpen(long start, long end, String value, boolean hit) {
    assertThat(new HeaderMatcher.Range("h", start, end, false).matches(value)).isEqualTo(hit);
    assertThat(new HeaderMatcher.Range("h", start, end, true).matches(value)).isEqualTo(!hit);
  }

  @Conformance({"A28-09", "A63-02"})
  @Test
  void anAbsentHeaderFailsEveryMatcherOfValuesEvenInverted() {
    List<StringMatcher> texts =
        List.of(
            new StringMatcher.Exact("", false),
            new StringMatcher.Prefix("a", false),
            new StringMatcher.Suffix("a", false),
            new StringMatcher.Contains("a", false),
            new StringMatcher.Regex(Pattern.compile(".*")));

    for (boolean invert : new boolean[] {false, true}) {
      for (StringMatcher text : texts) {
        assertThat(new HeaderMatcher.Value("h", text, invert).matches(absent())).isFalse();
      }
      assertThat(new HeaderMatcher.Range("h", 0, 9, invert).matches(absent())).isFalse();
    }
    assertThat(new HeaderMatcher.Value("h", texts.get(0), false).matches("")).isTrue();
  }

  @Conformance("A28-09")
  @Test
  void onlyPresenceSeesAbsence() {
    assertThat(new HeaderMatcher.Present("h", true).matches("")).isTrue();
    assertThat(new HeaderMatcher.Present("h", true).matches(absent())).isFalse();
    assertThat(new HeaderMatcher.Present("h", false).matches("x")).isFalse();
    assertThat(new HeaderMatcher.Present("h", false).matches(absent())).isTrue();
  }

  private static @Nullable String absent() {
    return null;
  }
}
