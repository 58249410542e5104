package io.outrigger.lb.view;

import io.outrigger.config.endpoint.EndpointAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/**
 * A decision of outlier detection about an endpoint, with the numbers that led to the decision
 * (A50, A91). Instances are immutable and may be used on any thread.
 */
public sealed interface OutlierEvent extends LbEvent {
  /** The cluster in which outliers are detected; in an aggregate, the leaf cluster. */
  @Override
  String cluster();

  EndpointAddress address();

  @Override
  default Optional<EndpointAddress> endpoint() {
    return Optional.of(address());
  }

  /**
   * The endpoint is an outlier and gets no further calls. Under the current settings, the first
   * sweep after the end time ({@code until}) ends the ejection.
   *
   * @param multiplier the duration of the ejection as a multiple of the base ejection time; the
   *     maximum ejection time may shorten the ejection
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
      implements OutlierEvent {
    @Override
    public String text() {
      return "ejected until %s, %s; %s endpoints are ejected, %s before; multiplier %d"
          .formatted(
              until.truncatedTo(ChronoUnit.MILLIS), evidence.text(), after, before, multiplier);
    }
  }

  record Unenforced(
      String cluster,
      EndpointAddress address,
      Instant time,
      Evidence evidence,
      Share share,
      int multiplier,
      UnenforcedReason reason)
      implements OutlierEvent {
    @Override
    public String text() {
      return "is an outlier but stays, %s, %s; %s endpoints are ejected"
          .formatted(reason.word(), evidence.text(), share);
    }
  }

  record Unejected(
      String cluster,
      EndpointAddress address,
      Instant time,
      Instant since,
      int multiplier,
      UnejectReason reason)
      implements OutlierEvent {
    @Override
    public String text() {
      return "in service again, %s; ejected since %s"
          .formatted(reason.text(), since.truncatedTo(ChronoUnit.MILLIS));
    }
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** The algorithm that found an outlier, in A91's terms. */
  enum Method {
    SUCCESS_RATE,
    FAILURE_PERCENTAGE;

    public String word() {
      return OutlierEvent.word(this);
    }
  }

  /** The reason why an outlier was not ejected, in A91's terms. */
  enum UnenforcedReason {
    /** A random draw prevented the ejection, because {@code enforcing_…} is less than 100 %. */
    ENFORCEMENT_PERCENTAGE,
    /** The maximum number of endpoints is already ejected. */
    MAX_EJECTION_OVERFLOW;

    public String word() {
      return OutlierEvent.word(this);
    }
  }

  enum UnejectReason {
    TIME_IS_OVER("its time is over"),
    DETECTION_IS_OFF("detection was switched off");

    private final String text;

    UnejectReason(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * The number of ejected endpoints among all endpoints of the cluster.
   *
   * @param total the number of all known endpoints of the cluster, in every priority, with or
   *     without traffic (A50-25)
   */
  record Share(int ejected, int total) {
    @Override
    public String toString() {
      return ejected + " of " + total;
    }
  }

  /** The numbers that an outlier algorithm computed in one interval. */
  sealed interface Evidence {
    Method method();

    /**
     * Returns the comparison with its numbers as a text for people, such as {@code failure
     * percentage 41.00 > 30 (…)}.
     */
    String text();
  }

  /**
   * A success rate below the threshold; all rates are fractions.
   *
   * @param volume the number of calls to the endpoint that ended in the interval
   * @param hosts the number of endpoints with enough calls to be compared
   */
  record LowSuccessRate(
      double successRate,
      double mean,
      double standardDeviation,
      double threshold,
      long volume,
      int hosts)
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
          standardDeviation,
          hosts,
          volume);
    }
  }

  /** A failure percentage above the threshold, which is a percentage too. */
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
