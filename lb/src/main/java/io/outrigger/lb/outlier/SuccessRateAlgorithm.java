package io.outrigger.lb.outlier;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.view.OutlierEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds endpoints that succeed significantly less often than the others (A50 "Success Rate
 * Algorithm"); a pure function.
 */
final class SuccessRateAlgorithm {
  /**
   * A rate that is closer to the threshold than this differs from the threshold only by rounding.
   */
  private static final double ROUNDING = 1e-9;

  private SuccessRateAlgorithm() {}

  /** Returns the outliers among {@code hosts}, worst first (decision lb-0010). */
  static List<Candidate> candidates(
      OutlierDetection.SuccessRate config, List<IntervalCalls> hosts) {
    int[] compared =
        IntStream.range(0, hosts.size())
            .filter(host -> hosts.get(host).hasVolume(config.requestVolume()))
            .toArray();
    if (compared.length == 0 || compared.length < config.minimumHosts()) { // step 1
      return List.of();
    }
    double sum = 0; // step 2
    for (int host : compared) {
      sum += hosts.get(host).successRate();
    }
    double mean = sum / compared.length;
    double squares = 0;
    for (int host : compared) {
      double distance = hosts.get(host).successRate() - mean;
      squares += distance * distance;
    }
    double deviation = Math.sqrt(squares / compared.length);
    double threshold = mean - deviation * (config.stdevFactor() / 1000.0);
    List<Candidate> candidates = new ArrayList<>();
    for (int host : compared) { // step 3.3
      double rate = hosts.get(host).successRate();
      if (rate < threshold - ROUNDING) {
        long volume = hosts.get(host).volume();
        var evidence =
            new OutlierEvent.LowSuccessRate(
                rate, mean, deviation, threshold, volume, compared.length);
        candidates.add(new Candidate(host, evidence));
      }
    }
    candidates.sort(Comparator.comparingDouble(found -> hosts.get(found.host()).successRate()));
    return candidates;
  }
}
