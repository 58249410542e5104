package io.outrigger.config.load;

/** The sum of a metric's values, and the number of requests that reported the metric (A64). */
public record MetricTotal(long requests, double sum) {
  public MetricTotal plus(MetricTotal other) {
    return new MetricTotal(requests + other.requests, sum + other.sum);
  }
}
