package io.outrigger.lb.state;

import io.outrigger.config.endpoint.Locality;

/**
 * Connections that are counted together (A94).
 *
 * @param cluster the leaf cluster
 * @param locality where their endpoints stand
 * @param secure whether they are encrypted and authenticated
 */
public record ConnectionGroup(String cluster, Locality locality, boolean secure) {
  /** The same elsewhere. */
  public ConnectionGroup in(Locality other) {
    return new ConnectionGroup(cluster, other, secure);
  }
}
