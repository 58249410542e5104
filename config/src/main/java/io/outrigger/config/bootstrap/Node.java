package io.outrigger.config.bootstrap;

import io.outrigger.config.endpoint.Locality;
import java.util.Map;

/**
 * The identity of this process towards the control plane.
 *
 * @param metadata a JSON object as plain Java values: Map, List, String, Double and Boolean,
 *     without JSON nulls
 */
public record Node(String id, String cluster, Locality locality, Map<String, Object> metadata) {
  public Node {
    metadata = Map.copyOf(metadata);
  }
}
