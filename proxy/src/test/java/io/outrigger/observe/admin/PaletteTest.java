package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page's colours on the grounds that they are used on, by WCAG 2.2's contrast ratio. */
class PaletteTest {
  private static final Pattern COLOUR = Pattern.compile("--([a-z-]+): #([0-9a-f]{6});");
  private static final double TEXT = 4.5; // 1.4.3, level AA
  private static final double SHAPE = 3; // 1.4.11

  private static String sheet = "";

  @BeforeAll
  static void read() throws IOException {
    try (InputStream stream = PaletteTest.class.getResourceAsStream("/admin/style.css")) {
      sheet = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Map<String, Integer> palette(boolean isDark) {
    int dark = sheet.indexOf("@media (prefers-color-scheme: dark)");
    int end = sheet.indexOf("/* Sizes");
    String part = isDark ? sheet.substring(dark, end) : sheet.substring(0, dark);
    Map<String, Integer> colours = new HashMap<>();
    for (Matcher each = COLOUR.matcher(part); each.find(); ) {
      colours.put(each.group(1), Integer.parseInt(each.group(2), 16));
    }
    return colours;
  }

  @ParameterizedTest(name = "{0} on {1}")
  @CsvSource({
    "ink, paper",
    "ink, card",
    "ink, sunken",
    "ink, accent-ground",
    "ink, bad-ground",
    "quiet, paper",
    "quiet, card",
    "quiet, sunken",
    "quiet, accent-ground",
    "accent, paper",
    "accent, card",
    "accent, sunken",
    "card, accent",
    "good, paper",
    "good, card",
    "good, sunken",
    "good, accent-ground",
    "wait, paper",
    "wait, card",
    "wait, sunken",
    "wait, accent-ground",
    "idle, paper",
    "idle, card",
    "idle, sunken",
    "idle, accent-ground",
    "bad, paper",
    "bad, card",
    "bad, sunken",
    "bad, accent-ground",
    "bad, bad-ground",
    "out, paper",
    "out, card",
    "out, sunken",
    "out, accent-ground",
    "aside, paper",
    "aside, card",
    "aside, sunken",
    "aside, accent-ground",
  })
  void textIsReadable(String text, String ground) {
    assertThat(contrast(text, ground, false)).as("light").isGreaterThanOrEqualTo(TEXT);
    assertThat(contrast(text, ground, true)).as("dark").isGreaterThanOrEqualTo(TEXT);
  }

  @ParameterizedTest(name = "{0} on {1}")
  @CsvSource({"edge, paper", "edge, card", "accent, paper"})
  void edgesOfThingsToPressAndLinesAreSeen(String line, String ground) {
    assertThat(contrast(line, ground, false)).as("light").isGreaterThanOrEqualTo(SHAPE);
    assertThat(contrast(line, ground, true)).as("dark").isGreaterThanOrEqualTo(SHAPE);
  }

  private static double contrast(String a, String b, boolean isDark) {
    Map<String, Integer> palette = palette(isDark);
    double one = luminance(palette.get(a));
    double other = luminance(palette.get(b));
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }

  private static double luminance(int colour) {
    return 0.2126 * linear(colour >> 16 & 0xff)
        + 0.7152 * linear(colour >> 8 & 0xff)
        + 0.0722 * linear(colour & 0xff);
  }

  private static double linear(int part) {
    double share = part / 255.0;
    return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
  }
}
