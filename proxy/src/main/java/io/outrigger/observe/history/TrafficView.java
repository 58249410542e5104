package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import java.time.Instant;
import java.util.List;

/**
 * The traffic of a forward for each minute of the last hour. Minutes without calls are omitted; the
 * last one of a list may be the current minute. The components are the members of {@code /history}.
 */
@AnyThread
public record TrafficView(String name, List<Cluster> clusters) {
  public TrafficView {
    clusters = List.copyOf(clusters);
  }

  public record Cluster(String name, List<Minute> minutes, List<Endpoint> endpoints) {
    public Cluster {
      minutes = List.copyOf(minutes);
      endpoints = List.copyOf(endpoints);
    }
  }

  /** An endpoint, with the calls whose last attempt went there. */
  public record Endpoint(String address, List<Minute> minutes) {
    public Endpoint {
      minutes = List.copyOf(minutes);
    }
  }

  /**
   * The calls that ended within one minute. Latencies are in milliseconds, to within 6 %. The
   * components are the members of the minute in {@code /history}.
   *
   * @param time the start of the minute, or of the observed part of the minute
   */
  public record Minute(
      Instant time,
      long requests,
      long errors,
      double p50Ms,
      double p90Ms,
      double p99Ms,
      double maxMs) {}
}
