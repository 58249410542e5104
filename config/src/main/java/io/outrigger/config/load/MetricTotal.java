package io.outrigger.config.load;

/** The sum of a metric over the requests that ended with a value of it (A64 "Aggregation"). */
public record MetricTotal(long requests, double sum) {
  public static final MetricTotal NONE = new MetricTotal(0, 0);

  public MetricTotal plus(MetricTotal other) {
    return new MetricTotal(requests + other.requests, sum + other.sum);
  }
}
