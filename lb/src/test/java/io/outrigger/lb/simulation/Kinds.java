package io.outrigger.lb.simulation;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;
import io.outrigger.config.cluster.OutlierDetection.SuccessRate;
import io.outrigger.lb.testing.Detections;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is compared: policies and settings of detection, by name. */
final class Kinds {
  private Kinds() {}

  /**
   * What an empty {@code outlier_detection} in a Cluster means: success rates only, at most 10 %.
   */
  static final OutlierDetection DEFAULTS =
      Detections.of(Optional.of(new SuccessRate(1900, 100, 5, 100)), Optional.empty(), 10);

  /** For clear failures: soon. */
  static final OutlierDetection BRISK = failing(Duration.ofSeconds(5), 20, 20);

  /** For gray failures: many calls, so that few of them in a hundred mean something. */
  static final OutlierDetection PATIENT = failing(Duration.ofSeconds(60), 3, 500);

  /** Ejects, up to half of all, whoever fails more than {@code threshold} %. */
  static OutlierDetection failing(Duration interval, int threshold, long volume) {
    return new OutlierDetection(
        interval,
        OutlierDetection.DEFAULT_BASE_EJECTION_TIME,
        OutlierDetection.DEFAULT_MAX_EJECTION_TIME,
        50,
        Optional.empty(),
        Optional.of(new FailurePercentage(threshold, 100, 3, volume)));
  }

  static final BalancingPolicy LEAST_REQUEST =
      new BalancingPolicy.WrrLocality(new BalancingPolicy.LeastRequest(2));

  static Map<String, Optional<OutlierDetection>> detections() {
    Map<String, Optional<OutlierDetection>> all = new LinkedHashMap<>();
    all.put("off", Optional.empty());
    all.put("defaults", Optional.of(DEFAULTS));
    all.put("brisk", Optional.of(BRISK));
    all.put("patient", Optional.of(PATIENT));
    return all;
  }

  static Map<String, BalancingPolicy> policies() {
    Map<String, BalancingPolicy> all = new LinkedHashMap<>();
    all.put("round_robin", ClusterResource.DEFAULT_POLICY);
    all.put("least_request", LEAST_REQUEST);
    all.put("weighted_round_robin", new BalancingPolicy.WrrLocality(weighted()));
    all.put("ring_hash", new BalancingPolicy.RingHash(1024, 4096, ""));
    all.put("pick_first", new BalancingPolicy.PickFirst(false));
    return all;
  }

  private static BalancingPolicy weighted() {
    return new BalancingPolicy.WeightedRoundRobin(
        false,
        BalancingPolicy.WeightedRoundRobin.DEFAULT_OOB_PERIOD,
        BalancingPolicy.WeightedRoundRobin.DEFAULT_BLACKOUT,
        BalancingPolicy.WeightedRoundRobin.DEFAULT_EXPIRATION,
        BalancingPolicy.WeightedRoundRobin.DEFAULT_UPDATE_PERIOD,
        BalancingPolicy.WeightedRoundRobin.DEFAULT_ERROR_PENALTY,
        List.of());
  }
}
