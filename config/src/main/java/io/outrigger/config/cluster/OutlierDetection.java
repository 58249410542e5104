package io.outrigger.config.cluster;

import java.time.Duration;
import java.util.Optional;

/**
 * The settings of outlier detection (A50), including defaults. The settings of a disabled algorithm
 * are empty. Percentages are 0 to 100.
 */
public record OutlierDetection(
    Duration interval,
    Duration baseEjectionTime,
    Duration maxEjectionTime,
    int maxEjectionPercent,
    Optional<SuccessRate> successRate,
    Optional<FailurePercentage> failurePercentage) {
  public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10); // A50-01
  public static final Duration DEFAULT_BASE_EJECTION_TIME = Duration.ofSeconds(30); // A50-01
  public static final Duration DEFAULT_MAX_EJECTION_TIME = Duration.ofSeconds(300); // A50-01
  public static final int DEFAULT_MAX_EJECTION_PERCENT = 10; // A50-01

  /** All numbers are unsigned 32 bit; {@code enforcement} is a percentage. */
  public record SuccessRate(
      long stdevFactor, int enforcement, long minimumHosts, long requestVolume) {}

  /** All numbers are unsigned 32 bit; {@code threshold} and {@code enforcement} are percentages. */
  public record FailurePercentage(
      int threshold, int enforcement, long minimumHosts, long requestVolume) {}
}
