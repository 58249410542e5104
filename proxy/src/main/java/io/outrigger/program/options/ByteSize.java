package io.outrigger.program.options;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes sizes as in flags: {@code 65536}, {@code 64KiB}, {@code 1GiB}, {@code 10MB}. */
public final class ByteSize {
  private static final Pattern FORM = Pattern.compile("(\\d{1,20}) ?([A-Za-z]*)");
  private static final Map<String, Long> UNITS =
      Map.ofEntries(
          Map.entry("", 1L),
          Map.entry("b", 1L),
          Map.entry("ki", 1L << 10),
          Map.entry("kib", 1L << 10),
          Map.entry("mi", 1L << 20),
          Map.entry("mib", 1L << 20),
          Map.entry("gi", 1L << 30),
          Map.entry("gib", 1L << 30),
          Map.entry("ti", 1L << 40),
          Map.entry("tib", 1L << 40),
          Map.entry("kb", 1_000L),
          Map.entry("mb", 1_000_000L),
          Map.entry("gb", 1_000_000_000L),
          Map.entry("tb", 1_000_000_000_000L));

  private ByteSize() {}

  /**
   * Reads {@code text} as a number of bytes.
   *
   * @throws IllegalArgumentException with the reason, when {@code text} is not a size
   */
  public static long parse(String text) {
    Matcher matcher = FORM.matcher(text);
    Long unit = matcher.matches() ? UNITS.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a size such as 65536, 64KiB or 1GiB");
    }
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
    } catch (NumberFormatException | ArithmeticException e) {
      throw new IllegalArgumentException("\"" + text + "\" is too large", e);
    }
  }

  /** Renders a size for people, as a whole number of the largest unit up to MiB: {@code 34 MiB}. */
  public static String format(long bytes) {
    long kib = bytes >> 10;
    if (kib >= 1 << 10) {
      return (kib >> 10) + " MiB";
    }
    return kib > 0 ? kib + " KiB" : bytes + " bytes";
  }
}
