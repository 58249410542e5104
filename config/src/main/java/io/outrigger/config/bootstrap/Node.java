package io.outrigger.config.bootstrap;

import io.outrigger.config.endpoint.Locality;
import java.util.Map;

/**
 * The identity of this process towards the control plane.
 *
 * @param metadata a JSON object as plain Java values of type Map, List, String, Double or Boolean;
 *     JSON nulls are left out
 */
public record Node(String id, String cluster, Locality locality, Map<String, Object> metadata) {
  public Node {
    metadata = Map.copyOf(metadata);
  }
}
