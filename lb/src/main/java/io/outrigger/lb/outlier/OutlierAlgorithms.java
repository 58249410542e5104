package io.outrigger.lb.outlier;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.outlier.EndpointTracker.IntervalCalls;
import io.outrigger.lb.view.OutlierEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A50's "Success Rate Algorithm" and "Failure Percentage Algorithm", which find outliers by the
 * calls of one interval. The two algorithms are pure functions that return the outliers in
 * ascending order of success rate (decision lb-0010).
 */
final class OutlierAlgorithms {
  /** The tolerance for rounding errors in comparisons of rates. */
  private static final double ROUNDING = 1e-9;

  /**
   * An outlier, which may already be ejected.
   *
   * @param host the index of the outlier among the examined endpoints
   */
  record Candidate(int host, OutlierEvent.Evidence evidence) {}

  private OutlierAlgorithms() {}

  /** Returns the endpoints whose success rate is too far below the mean success rate. */
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
    return worstFirst(candidates, hosts);
  }

  /** Returns the endpoints whose failure percentage is above the configured threshold. */
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
                100.0 * calls.failed() / calls.volume(),
                config.threshold(),
                calls.volume(),
                (int) withVolume);
        candidates.add(new Candidate(host, evidence));
      }
    }
    return worstFirst(candidates, hosts);
  }

  /** Whether the failure percentage is strictly above a threshold, without rounding (A50-19). */
  private static boolean isAbove(IntervalCalls calls, int threshold) {
    return 100 * calls.failed() > threshold * calls.volume();
  }

  private static List<Candidate> worstFirst(List<Candidate> found, List<IntervalCalls> hosts) {
    found.sort(Comparator.comparingDouble(each -> hosts.get(each.host()).successRate()));
    return found;
  }
}
