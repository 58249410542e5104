package io.outrigger.xds.decode;

import java.time.Duration;
import java.util.Optional;

/**
 * Decodes durations of the control plane. An illegal or negative duration is an error; a very long
 * duration is shortened.
 */
final class ProtoDurations {
  /**
   * The maximum that longer durations are shortened to. For a proxy this is practically infinite,
   * and its nanoseconds plus a clock value still fit in a long.
   */
  static final Duration LONGEST = Duration.ofDays(36_525);

  /** The maximum seconds that the documentation of {@code google.protobuf.Duration} allows. */
  private static final long MAX_SECONDS = 315_576_000_000L;

  private static final int MAX_NANOS = 999_999_999;

  private ProtoDurations() {}

  static Optional<Duration> decode(com.google.protobuf.Duration proto, FieldErrors errors) {
    long seconds = proto.getSeconds();
    int nanos = proto.getNanos();
    if (!isLegal(seconds, nanos)) {
      return errors.refuse(
          "is not a legal duration (seconds " + seconds + ", nanos " + nanos + ")");
    }
    if (seconds < 0 || nanos < 0) {
      return errors.refuse("is negative");
    }
    Duration duration = Duration.ofSeconds(seconds, nanos);
    return Optional.of(duration.compareTo(LONGEST) > 0 ? LONGEST : duration);
  }

  static Optional<Duration> ifSet(
      boolean present, com.google.protobuf.Duration proto, FieldErrors errors) {
    return present ? decode(proto, errors) : Optional.empty();
  }

  /**
   * Decodes a duration as {@link #decode} does, but a negative duration counts as zero and is no
   * error.
   */
  static Optional<Duration> orZero(com.google.protobuf.Duration proto, FieldErrors errors) {
    boolean isNegative = proto.getSeconds() < 0 || proto.getNanos() < 0;
    if (isNegative && isLegal(proto.getSeconds(), proto.getNanos())) {
      errors.ignore("is negative, which means 0");
      return Optional.of(Duration.ZERO);
    }
    return decode(proto, errors);
  }

  private static boolean isLegal(long seconds, int nanos) {
    boolean inBounds =
        seconds >= -MAX_SECONDS
            && seconds <= MAX_SECONDS
            && nanos >= -MAX_NANOS
            && nanos <= MAX_NANOS;
    boolean oneSign = !(seconds > 0 && nanos < 0) && !(seconds < 0 && nanos > 0);
    return inBounds && oneSign;
  }
}
