package io.outrigger.base;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats durations in the syntax of flags, such as {@code 5s} or {@code 1.5h}. */
public final class DurationText {
  private static final Pattern FORM = Pattern.compile("(\\d{1,20}(?:\\.\\d{1,9})?)(ms|s|m|h|d)");
  private static final Duration MAX_DURATION = Duration.ofDays(36_500);

  private DurationText() {}

  /** Throws {@code IllegalArgumentException} with the reason when the text is not a duration. */
  public static Duration parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a duration such as 250ms, 5s, 30m or 1h");
    }
    BigDecimal nanos =
        new BigDecimal(matcher.group(1)).multiply(new BigDecimal(nanosIn(matcher.group(2))));
    if (nanos.compareTo(new BigDecimal(MAX_DURATION.toNanos())) > 0) {
      throw new IllegalArgumentException("\"" + text + "\" is longer than a hundred years");
    }
    return Duration.ofNanos(nanos.longValue());
  }

  /**
   * Formats {@code duration} in the largest unit that divides it. Uses no {@code BigDecimal}, whose
   * first use would delay the start of the process by 10 ms.
   */
  public static String format(Duration duration) {
    for (String unit : List.of("d", "h", "m", "s", "ms")) {
      long nanos = nanosIn(unit);
      if (duration.toNanos() % nanos == 0 && !duration.isZero()) {
        return duration.toNanos() / nanos + unit;
      }
    }
    return duration.isZero() ? "0s" : (double) duration.toNanos() / nanosIn("ms") + "ms";
  }

  private static long nanosIn(String unit) {
    Duration one =
        switch (unit) {
          case "ms" -> Duration.ofMillis(1);
          case "s" -> Duration.ofSeconds(1);
          case "m" -> Duration.ofMinutes(1);
          case "h" -> Duration.ofHours(1);
          default -> Duration.ofDays(1);
        };
    return one.toNanos();
  }
}
