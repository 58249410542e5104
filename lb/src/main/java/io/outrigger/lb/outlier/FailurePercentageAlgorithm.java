package io.outrigger.lb.outlier;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.view.OutlierEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds endpoints that fail too often, regardless of other endpoints (A50 "Failure Percentage
 * Algorithm"); a pure function.
 */
final class FailurePercentageAlgorithm {
  private FailurePercentageAlgorithm() {}

  /** Returns the outliers among {@code hosts}, worst first (decision lb-0010). */
  static List<Candidate> candidates(
      OutlierDetection.FailurePercentage config, List<IntervalCalls> hosts) {
    long withVolume = hosts.stream().filter(host -> host.hasVolume(config.requestVolume())).count();
    if (withVolume < config.minimumHosts()) { // step 1: hosts with volume (A50-20)
      return List.of();
    }
    List<Candidate> candidates = new ArrayList<>();
    for (int host = 0; host < hosts.size(); host++) {
      IntervalCalls calls = hosts.get(host);
      if (calls.hasVolume(config.requestVolume()) && isAbove(calls, config.threshold())) {
        var evidence =
            new OutlierEvent.HighFailurePercentage(
                percentage(calls), config.threshold(), calls.volume(), (int) withVolume);
        candidates.add(new Candidate(host, evidence));
      }
    }
    candidates.sort(Comparator.comparingDouble(found -> hosts.get(found.host()).successRate()));
    return candidates;
  }

  /**
   * Whether the failure percentage is strictly above {@code threshold}, computed in whole numbers
   * (A50-19).
   */
  private static boolean isAbove(IntervalCalls calls, int threshold) {
    return 100 * calls.failed() > threshold * calls.volume();
  }

  private static double percentage(IntervalCalls calls) {
    return 100.0 * calls.failed() / calls.volume();
  }
}
