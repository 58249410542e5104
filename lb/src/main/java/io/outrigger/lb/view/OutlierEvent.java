package io.outrigger.lb.view;

import io.outrigger.config.endpoint.EndpointAddress;
import java.time.Instant;
import java.util.Locale;

/**
 * A decision of outlier detection about an endpoint, with its numbers (A50, A91). Immutable; any
 * thread.
 */
public sealed interface OutlierEvent extends LbEvent {
  /** The cluster that is watched: of an aggregate, the leaf. */
  @Override
  String cluster();

  /** The endpoint's first address. */
  EndpointAddress address();

  /**
   * The endpoint is an outlier and gets no further calls.
   *
   * @param multiplier how many base ejection times it lasts, cut to the longest ejection time
   * @param until the first sweep after this ends the ejection, if the settings stay
   */
  record Ejected(
      String cluster,
      EndpointAddress address,
      Instant time,
      Evidence evidence,
      Share before,
      Share after,
      int multiplier,
      Instant until)
      implements OutlierEvent {}

  /** The endpoint is an outlier and stays in service all the same. */
  record Spared(
      String cluster,
      EndpointAddress address,
      Instant time,
      Evidence evidence,
      Share share,
      int multiplier,
      SpareReason reason)
      implements OutlierEvent {}

  /**
   * The endpoint gets calls again.
   *
   * @param since when it was ejected
   * @param multiplier of the ejection that ends
   */
  record Returned(
      String cluster,
      EndpointAddress address,
      Instant time,
      Instant since,
      int multiplier,
      ReturnReason reason)
      implements OutlierEvent {}

  /** How an outlier was found, in A91's words. */
  enum Method {
    SUCCESS_RATE("success_rate"),
    FAILURE_PERCENTAGE("failure_percentage");

    private final String word;

    Method(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  /** Why an outlier was not ejected, in A91's words. */
  enum SpareReason {
    /** The draw of {@code enforcing_…} spared it. */
    ENFORCEMENT_PERCENTAGE("enforcement_percentage"),
    /** As many endpoints are ejected as may be. */
    MAX_EJECTION_OVERFLOW("max_ejection_overflow");

    private final String word;

    SpareReason(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  /** Why an ejection ended. */
  enum ReturnReason {
    TIME_IS_OVER("its time is over"),
    DETECTION_IS_OFF("detection was switched off");

    private final String text;

    ReturnReason(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * How many endpoints of the cluster are ejected.
   *
   * @param total all that balancing knows, of every priority, with or without traffic (A50-25)
   */
  record Share(int ejected, int total) {
    @Override
    public String toString() {
      return ejected + " of " + total;
    }
  }

  /** The numbers of an algorithm in the interval. */
  sealed interface Evidence {
    Method method();

    /** Calls to the endpoint that ended in the interval. */
    long volume();

    /** How many endpoints had the volume to be compared. */
    int hosts();

    /** The comparison with its numbers, for people: {@code failure percentage 41.00 > 30 (…)}. */
    String text();
  }

  /** A success rate below {@code threshold}; all are fractions. */
  record LowSuccessRate(
      double successRate, double mean, double deviation, double threshold, long volume, int hosts)
      implements Evidence {
    @Override
    public Method method() {
      return Method.SUCCESS_RATE;
    }

    @Override
    public String text() {
      return String.format(
          Locale.ROOT,
          "success rate %.4f < %.4f (mean %.4f, standard deviation %.4f over %d hosts, %d calls)",
          successRate,
          threshold,
          mean,
          deviation,
          hosts,
          volume);
    }
  }

  /** A failure percentage above {@code threshold}; both are percentages. */
  record HighFailurePercentage(double failurePercentage, int threshold, long volume, int hosts)
      implements Evidence {
    @Override
    public Method method() {
      return Method.FAILURE_PERCENTAGE;
    }

    @Override
    public String text() {
      return String.format(
          Locale.ROOT,
          "failure percentage %.2f > %d (%d hosts, %d calls)",
          failurePercentage,
          threshold,
          hosts,
          volume);
    }
  }
}
