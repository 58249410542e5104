package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import java.util.List;

/**
 * The last hour of a forward, minute by minute. Minutes without calls are left out; the last of a
 * list may still be running.
 */
@AnyThread
public record TrafficView(String forward, List<Cluster> clusters) {
  public TrafficView {
    clusters = List.copyOf(clusters);
  }

  /** A cluster as routing chose it. */
  public record Cluster(String name, List<Minute> minutes, List<Endpoint> endpoints) {
    public Cluster {
      minutes = List.copyOf(minutes);
      endpoints = List.copyOf(endpoints);
    }
  }

  /** An endpoint that had the last attempt of a call. */
  public record Endpoint(String address, List<Minute> minutes) {
    public Endpoint {
      minutes = List.copyOf(minutes);
    }
  }
}
