package io.outrigger.config.bootstrap;

import io.outrigger.config.endpoint.Locality;
import java.util.Map;

/**
 * Who we are to the control plane.
 *
 * @param metadata a JSON object as plain Java values: Map, List, String, Double, Boolean; a JSON
 *     null is left out
 */
public record Node(String id, String cluster, Locality locality, Map<String, Object> metadata) {
  public Node {
    metadata = Map.copyOf(metadata);
  }
}
