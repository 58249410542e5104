package io.outrigger.config.load;

/**
 * A number that backends gave with the ends of requests, summed up (A64 "Aggregation").
 *
 * @param requests how many ended with it
 * @param sum of its values
 */
public record MetricTotal(long requests, double sum) {
  public static final MetricTotal NONE = new MetricTotal(0, 0);

  public MetricTotal plus(MetricTotal other) {
    return new MetricTotal(requests + other.requests, sum + other.sum);
  }
}
