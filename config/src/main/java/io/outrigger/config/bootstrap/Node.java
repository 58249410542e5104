package io.outrigger.config.bootstrap;

import io.outrigger.config.endpoint.Locality;
import java.util.Map;

/**
 * The node message by which this process identifies itself to the control plane. {@code metadata}
 * is a JSON object that consists of Map, List, String, Double and Boolean values.
 */
public record Node(String id, String cluster, Locality locality, Map<String, Object> metadata) {
  public Node {
    metadata = Map.copyOf(metadata);
  }
}
