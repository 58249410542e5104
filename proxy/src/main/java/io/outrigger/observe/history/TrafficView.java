package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import java.util.List;

/**
 * The traffic of a forward for each minute of the last hour. Minutes without calls are omitted; the
 * last one of a list may be the current minute.
 */
@AnyThread
public record TrafficView(String forward, List<Cluster> clusters) {
  public TrafficView {
    clusters = List.copyOf(clusters);
  }

  /** A cluster that routing chose. */
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
}
