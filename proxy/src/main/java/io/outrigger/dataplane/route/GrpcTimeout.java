package io.outrigger.dataplane.route;

import io.netty.util.AsciiString;

/** Parses and formats the {@code grpc-timeout} header, which has one to eight digits and a unit. */
public final class GrpcTimeout {
  /** The result of {@link #parse} for a text that is not a valid {@code grpc-timeout}. */
  public static final long MALFORMED = -1;

  private static final int MAX_DIGITS = 8;
  private static final String UNITS = "numSMH";
  private static final long[] UNIT_NANOS = {
    1L, 1_000L, 1_000_000L, 1_000_000_000L, 60_000_000_000L, 3_600_000_000_000L
  };

  private GrpcTimeout() {}

  /**
   * Parses the value of a {@code grpc-timeout} header.
   *
   * @return the timeout in nanoseconds, at least 0 and less than {@link EffectiveTimeout#NONE}; or
   *     {@link #MALFORMED}
   */
  public static long parse(CharSequence text) {
    int digits = text.length() - 1;
    if (digits < 1 || digits > MAX_DIGITS) {
      return MALFORMED;
    }
    long value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return MALFORMED;
      }
      value = value * 10 + digit;
    }
    int unit = UNITS.indexOf(text.charAt(digits));
    if (unit < 0) {
      return MALFORMED;
    }
    long nanos = UNIT_NANOS[unit];
    return value > (EffectiveTimeout.NONE - 1) / nanos ? EffectiveTimeout.NONE - 1 : value * nanos;
  }

  /**
   * Formats a duration in the finest unit that fits into eight digits. The value is rounded up, so
   * that the backend's deadline is not earlier than this proxy's deadline (A31-37).
   *
   * @param nanos a positive duration
   */
  public static AsciiString format(long nanos) {
    int unit = 0;
    long value = nanos;
    while (value >= 100_000_000L) { // ends, since any long fits in 8 digits of hours
      unit++;
      value = (nanos - 1) / UNIT_NANOS[unit] + 1;
    }
    return text((int) value, UNITS.charAt(unit));
  }

  private static AsciiString text(int value, char unit) {
    int digits = 1;
    for (int i = value; i >= 10; i /= 10) {
      digits++;
    }
    byte[] text = new byte[digits + 1];
    text[digits] = (byte) unit;
    int remaining = value;
    for (int i = digits - 1; i >= 0; i--) {
      text[i] = (byte) ('0' + remaining % 10);
      remaining /= 10;
    }
    return new AsciiString(text, false);
  }
}
