package io.outrigger.base;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes sizes as in flags: {@code 65536}, {@code 64KiB}, {@code 1GiB}, {@code 10MB}. */
public final class ByteSize {
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,20}) ?(?:b|(?:([kmgt])(ib?|b)))?", Pattern.CASE_INSENSITIVE);

  private ByteSize() {}

  /**
   * @throws IllegalArgumentException with the reason, when {@code text} is not a size
   */
  public static long parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a size such as 65536, 64KiB or 1GiB");
    }
    long unit = 1;
    if (matcher.group(2) != null) {
      int power = "kmgt".indexOf(matcher.group(2).toLowerCase(Locale.ROOT)) + 1;
      unit = (long) Math.pow(matcher.group(3).equalsIgnoreCase("b") ? 1000 : 1024, power);
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
