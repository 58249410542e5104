package io.outrigger.lb.simulation;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;

/**
 * What one sidecar of a large fleet can know: its calls to one endpoint within one interval are
 * few, and their number is random (Poisson). Pure arithmetic of A50's failure percentage.
 *
 * @param endpoints that the sidecar spreads its calls over, evenly
 * @param rate calls per second that the sidecar makes
 */
record FleetView(OutlierDetection detection, int endpoints, double rate) {
  private static final double SECONDS_PER_DAY = 86_400;

  private FailurePercentage algorithm() {
    return detection.failurePercentage().orElseThrow();
  }

  private double intervalSeconds() {
    return detection.interval().toMillis() / 1000.0;
  }

  /** Calls to one endpoint within one interval, on average. */
  double callsPerInterval() {
    return callsPerInterval(detection, endpoints, rate);
  }

  /** As {@link #callsPerInterval()}, whatever the algorithm. */
  static double callsPerInterval(OutlierDetection detection, int endpoints, double rate) {
    return rate / endpoints * detection.interval().toMillis() / 1000.0;
  }

  /** The chance that an endpoint gets {@code volume} calls or more, {@code mean} being usual. */
  static double chanceOfVolume(double mean, long volume) {
    double below = 0;
    for (int n = 0; n < volume; n++) {
      below += poisson(n, mean);
    }
    return Math.max(0, 1 - below);
  }

  /** The chance per interval that an endpoint is an outlier which fails {@code share} of calls. */
  double chanceOfEjection(double share) {
    double mean = callsPerInterval();
    int most = (int) (mean + 12 * Math.sqrt(mean) + 20);
    double chance = 0;
    for (int n = (int) algorithm().requestVolume(); n <= most; n++) {
      chance += poisson(n, mean) * aboveThreshold(n, share);
    }
    return chance * chanceOfCompany(chanceOfVolume(mean, algorithm().requestVolume()));
  }

  /**
   * Seconds until such an endpoint is ejected, on average, if only whole intervals of failures
   * tell: half an interval passes before the first of them begins.
   */
  double secondsToEjection(double share) {
    double chance = chanceOfEjection(share);
    return intervalSeconds() * (1 / chance + 0.5);
  }

  /** Ejections per day at one sidecar while every endpoint fails {@code noise} of its calls. */
  double falseEjectionsPerDay(double noise) {
    return chanceOfEjection(noise) * endpoints * SECONDS_PER_DAY / intervalSeconds();
  }

  /** The chance that more than the threshold of {@code n} calls fail. */
  private double aboveThreshold(int n, double share) {
    double chance = 0;
    for (int failed = 0; failed <= n; failed++) {
      if (100L * failed > (long) algorithm().threshold() * n) {
        chance += binomial(n, failed, share);
      }
    }
    return chance;
  }

  /** The chance that enough of the other endpoints have volume, each with {@code chance}. */
  private double chanceOfCompany(double chance) {
    double tooFew = 0;
    for (int others = 0; others < algorithm().minimumHosts() - 1; others++) {
      tooFew += binomial(endpoints - 1, others, chance);
    }
    return Math.max(0, 1 - tooFew);
  }

  private static double poisson(int n, double mean) {
    return StrictMath.exp(n * StrictMath.log(mean) - mean - logFactorial(n));
  }

  private static double binomial(int n, int k, double share) {
    if (share <= 0 || share >= 1) {
      return k == (share <= 0 ? 0 : n) ? 1 : 0;
    }
    return StrictMath.exp(
        logFactorial(n)
            - logFactorial(k)
            - logFactorial(n - k)
            + k * StrictMath.log(share)
            + (n - k) * StrictMath.log1p(-share));
  }

  private static double logFactorial(int n) {
    double sum = 0;
    for (int i = 2; i <= n; i++) {
      sum += StrictMath.log(i);
    }
    return sum;
  }
}
