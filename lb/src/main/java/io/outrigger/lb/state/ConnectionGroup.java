package io.outrigger.lb.state;

import io.outrigger.config.endpoint.Locality;

/**
 * Connections that are counted together (A94).
 *
 * @param cluster the leaf cluster
 * @param locality the locality of the connections' endpoints
 * @param secure whether the connections are encrypted and authenticated
 */
public record ConnectionGroup(String cluster, Locality locality, boolean secure) {
  public ConnectionGroup in(Locality other) {
    return new ConnectionGroup(cluster, other, secure);
  }
}
