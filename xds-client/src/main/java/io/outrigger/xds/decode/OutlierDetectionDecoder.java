package io.outrigger.xds.decode;

import com.google.protobuf.UInt32Value;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;
import io.outrigger.config.cluster.OutlierDetection.SuccessRate;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Decodes {@code outlier_detection} (A50 "Validation" and "xDS Integration"). The percentages of a
 * disabled algorithm are validated too.
 */
final class OutlierDetectionDecoder {
  private static final long DEFAULT_MINIMUM_HOSTS = 5;
  private static final long DEFAULT_STDEV_FACTOR = 1900;
  private static final long DEFAULT_SUCCESS_RATE_VOLUME = 100;
  private static final long DEFAULT_FAILURE_PERCENTAGE_VOLUME = 50;
  private static final int DEFAULT_THRESHOLD = 85;
  private static final int DEFAULT_ENFORCING_SUCCESS_RATE = 100;

  private OutlierDetectionDecoder() {}

  static OutlierDetection decode(
      io.envoyproxy.envoy.config.cluster.v3.OutlierDetection proto, FieldErrors errors) {
    Duration interval =
        ProtoDurations.ifSet(proto.hasInterval(), proto.getInterval(), errors.at("interval"))
            .orElse(OutlierDetection.DEFAULT_INTERVAL);
    Duration base =
        ProtoDurations.ifSet(
                proto.hasBaseEjectionTime(),
                proto.getBaseEjectionTime(),
                errors.at("base_ejection_time"))
            .orElse(OutlierDetection.DEFAULT_BASE_EJECTION_TIME);
    Duration max =
        ProtoDurations.ifSet(
                proto.hasMaxEjectionTime(),
                proto.getMaxEjectionTime(),
                errors.at("max_ejection_time"))
            .orElse(Collections.max(List.of(base, OutlierDetection.DEFAULT_MAX_EJECTION_TIME)));
    int maxPercent =
        percent(
            proto.hasMaxEjectionPercent(),
            proto.getMaxEjectionPercent(),
            OutlierDetection.DEFAULT_MAX_EJECTION_PERCENT,
            errors.at("max_ejection_percent"));
    return new OutlierDetection(
        interval,
        base,
        max,
        maxPercent,
        successRate(proto, errors),
        failurePercentage(proto, errors));
  }

  /** Returns empty if {@code enforcing_success_rate} is 0; an unset field means 100 (A50-02). */
  private static Optional<SuccessRate> successRate(
      io.envoyproxy.envoy.config.cluster.v3.OutlierDetection proto, FieldErrors errors) {
    int enforcement =
        percent(
            proto.hasEnforcingSuccessRate(),
            proto.getEnforcingSuccessRate(),
            DEFAULT_ENFORCING_SUCCESS_RATE,
            errors.at("enforcing_success_rate"));
    if (enforcement == 0) {
      return Optional.empty();
    }
    return Optional.of(
        new SuccessRate(
            number(
                proto.hasSuccessRateStdevFactor(),
                proto.getSuccessRateStdevFactor(),
                DEFAULT_STDEV_FACTOR),
            enforcement,
            number(
                proto.hasSuccessRateMinimumHosts(),
                proto.getSuccessRateMinimumHosts(),
                DEFAULT_MINIMUM_HOSTS),
            number(
                proto.hasSuccessRateRequestVolume(),
                proto.getSuccessRateRequestVolume(),
                DEFAULT_SUCCESS_RATE_VOLUME)));
  }

  /** Returns empty if {@code enforcing_failure_percentage} is unset or 0 (A50-02). */
  private static Optional<FailurePercentage> failurePercentage(
      io.envoyproxy.envoy.config.cluster.v3.OutlierDetection proto, FieldErrors errors) {
    int threshold =
        percent(
            proto.hasFailurePercentageThreshold(),
            proto.getFailurePercentageThreshold(),
            DEFAULT_THRESHOLD,
            errors.at("failure_percentage_threshold"));
    int enforcement =
        percent(
            proto.hasEnforcingFailurePercentage(),
            proto.getEnforcingFailurePercentage(),
            0,
            errors.at("enforcing_failure_percentage"));
    if (enforcement == 0) {
      return Optional.empty();
    }
    return Optional.of(
        new FailurePercentage(
            threshold,
            enforcement,
            number(
                proto.hasFailurePercentageMinimumHosts(),
                proto.getFailurePercentageMinimumHosts(),
                DEFAULT_MINIMUM_HOSTS),
            number(
                proto.hasFailurePercentageRequestVolume(),
                proto.getFailurePercentageRequestVolume(),
                DEFAULT_FAILURE_PERCENTAGE_VOLUME)));
  }

  private static int percent(boolean present, UInt32Value proto, int unset, FieldErrors errors) {
    if (!present) {
      return unset;
    }
    long value = Integer.toUnsignedLong(proto.getValue());
    if (value > 100) {
      errors.add(value + " is above 100");
      return unset;
    }
    return (int) value;
  }

  private static long number(boolean present, UInt32Value proto, long unset) {
    return present ? Integer.toUnsignedLong(proto.getValue()) : unset;
  }
}
