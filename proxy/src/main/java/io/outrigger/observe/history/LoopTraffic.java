package io.outrigger.observe.history;

import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The traffic that one event loop has recorded since the last {@link #take}. */
@LoopConfined
final class LoopTraffic {
  static final int MAX_CLUSTERS = 500;
  static final int MAX_ENDPOINTS = 2_000;

  private Map<String, ClusterTraffic> clusters = new HashMap<>();
  private int endpoints;

  static final class ClusterTraffic {
    final TrafficBucket all = new TrafficBucket();
    final Map<EndpointAddress, TrafficBucket> endpoints = new HashMap<>();
  }

  /**
   * Records a call. A call to an endpoint beyond {@link #MAX_ENDPOINTS} counts only for its
   * cluster; a call to a cluster beyond {@link #MAX_CLUSTERS} is not counted.
   */
  void record(String cluster, @Nullable EndpointAddress address, long micros, boolean isError) {
    ClusterTraffic traffic = clusters.get(cluster);
    if (traffic == null) {
      if (clusters.size() >= MAX_CLUSTERS) {
        return;
      }
      traffic = new ClusterTraffic();
      clusters.put(cluster, traffic);
    }
    traffic.all.record(micros, isError);
    if (address == null) {
      return;
    }
    TrafficBucket endpoint = traffic.endpoints.get(address);
    if (endpoint == null) {
      if (endpoints >= MAX_ENDPOINTS) {
        return;
      }
      endpoints++;
      endpoint = new TrafficBucket();
      traffic.endpoints.put(address, endpoint);
    }
    endpoint.record(micros, isError);
  }

  /** Returns the recorded traffic and starts with empty data. */
  Map<String, ClusterTraffic> take() {
    Map<String, ClusterTraffic> taken = clusters;
    clusters = new HashMap<>();
    endpoints = 0;
    return taken;
  }
}
