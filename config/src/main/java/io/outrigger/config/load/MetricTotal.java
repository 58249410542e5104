package io.outrigger.config.load;

/**
 * The sum of a metric that backends reported at the end of requests (A64 "Aggregation").
 *
 * @param requests the number of requests that ended with a value of the metric
 */
public record MetricTotal(long requests, double sum) {
  public static final MetricTotal NONE = new MetricTotal(0, 0);

  public MetricTotal plus(MetricTotal other) {
    return new MetricTotal(requests + other.requests, sum + other.sum);
  }
}
