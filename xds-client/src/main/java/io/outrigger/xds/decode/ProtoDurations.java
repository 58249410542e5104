package io.outrigger.xds.decode;

import java.time.Duration;
import java.util.Optional;

/** Durations of the control plane: legal ones only, none negative, none too long to count with. */
final class ProtoDurations {
  /**
   * What longer durations are cut to: for a proxy the same as for ever, and its nanoseconds fit a
   * long with room to add a clock to them.
   */
  static final Duration LONGEST = Duration.ofDays(36_525);

  /** The bounds that the comment of google.protobuf.Duration gives. */
  private static final long MAX_SECONDS = 315_576_000_000L;

  private static final int MAX_NANOS = 999_999_999;

  private ProtoDurations() {}

  /** The duration; empty when it is illegal or negative, which is then in {@code errors}. */
  static Optional<Duration> decode(com.google.protobuf.Duration proto, FieldErrors errors) {
    long seconds = proto.getSeconds();
    int nanos = proto.getNanos();
    if (!isLegal(seconds, nanos)) {
      errors.add("is not a legal duration (seconds " + seconds + ", nanos " + nanos + ")");
      return Optional.empty();
    }
    if (seconds < 0 || nanos < 0) {
      errors.add("is negative");
      return Optional.empty();
    }
    Duration duration = Duration.ofSeconds(seconds, nanos);
    return Optional.of(duration.compareTo(LONGEST) > 0 ? LONGEST : duration);
  }

  /** The same, but a negative duration, which would have ended long ago, is zero. */
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
