package io.outrigger.xds.decode;

import com.google.protobuf.util.Durations;
import java.time.Duration;
import java.util.Optional;

public final class ProtoDurations {
  /** Limits decoded durations, so that a clock value plus a duration in ns fits in a long. */
  static final Duration MAX = Duration.ofDays(36_525);

  private ProtoDurations() {}

  public static Optional<Duration> decode(com.google.protobuf.Duration proto, FieldErrors errors) {
    long seconds = proto.getSeconds();
    int nanos = proto.getNanos();
    if (!Durations.isValid(seconds, nanos)) {
      return errors.refuse(
          "is not a legal duration (seconds " + seconds + ", nanos " + nanos + ")");
    }
    if (seconds < 0 || nanos < 0) {
      return errors.refuse("is negative");
    }
    Duration duration = Duration.ofSeconds(seconds, nanos);
    return Optional.of(duration.compareTo(MAX) > 0 ? MAX : duration);
  }

  static Optional<Duration> ifSet(
      boolean present, com.google.protobuf.Duration proto, FieldErrors errors) {
    return present ? decode(proto, errors) : Optional.empty();
  }

  /** Decodes a duration; a negative duration counts as zero. */
  static Optional<Duration> orZero(com.google.protobuf.Duration proto, FieldErrors errors) {
    boolean isNegative = proto.getSeconds() < 0 || proto.getNanos() < 0;
    if (isNegative && Durations.isValid(proto)) {
      errors.ignore("is negative, which means 0");
      return Optional.of(Duration.ZERO);
    }
    return decode(proto, errors);
  }
}
