package io.outrigger.lb.testing;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;
import io.outrigger.config.cluster.OutlierDetection.SuccessRate;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of outlier detection for tests: A50's default times, an algorithm that needs ten calls
 * to each of three endpoints, and a maximum of the test's choice.
 */
public final class Detections {
  private Detections() {}

  /** Both algorithms are off. */
  public static OutlierDetection none() {
    return of(Optional.empty(), Optional.empty(), 10);
  }

  /** Ejects endpoints of which more than half of the calls fail. */
  public static OutlierDetection failing(int maxPercent) {
    return of(Optional.empty(), Optional.of(new FailurePercentage(50, 100, 3, 10)), maxPercent);
  }

  /** As {@link #failing(int)}, with that chance for each. */
  public static OutlierDetection failing(int maxPercent, int enforcement) {
    return of(
        Optional.empty(), Optional.of(new FailurePercentage(50, enforcement, 3, 10)), maxPercent);
  }

  /** Ejects endpoints that are 1.9 standard deviations below the mean. */
  public static OutlierDetection deviating(int maxPercent) {
    return of(Optional.of(new SuccessRate(1900, 100, 3, 10)), Optional.empty(), maxPercent);
  }

  /** The settings with A50's default times. */
  public static OutlierDetection of(
      Optional<SuccessRate> successRate,
      Optional<FailurePercentage> failurePercentage,
      int maxPercent) {
    return new OutlierDetection(
        OutlierDetection.DEFAULT_INTERVAL,
        OutlierDetection.DEFAULT_BASE_EJECTION_TIME,
        OutlierDetection.DEFAULT_MAX_EJECTION_TIME,
        maxPercent,
        successRate,
        failurePercentage);
  }

  /** The same algorithms at other times, all in seconds. */
  public static OutlierDetection timed(
      OutlierDetection detection, long interval, long base, long max) {
    return new OutlierDetection(
        Duration.ofSeconds(interval),
        Duration.ofSeconds(base),
        Duration.ofSeconds(max),
        detection.maxEjectionPercent(),
        detection.successRate(),
        detection.failurePercentage());
  }
}
