package io.outrigger.lb;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.Locality;

/**
 * An endpoint and where it stands.
 *
 * @param weight its share among all endpoints of its policy, localities taken into account (A113);
 *     only in proportion to others, at least 1
 * @param priority of the locality in its cluster, 0 the highest; only for people
 */
public record Backend(Endpoint endpoint, Locality locality, long weight, int priority) {
  /** In the highest priority. */
  public Backend(Endpoint endpoint, Locality locality, long weight) {
    this(endpoint, locality, weight, 0);
  }

  /** For policies that do not weigh. */
  public Backend(Endpoint endpoint, Locality locality) {
    this(endpoint, locality, 1);
  }

  /** The same with another weight. */
  public Backend weighing(long another) {
    return new Backend(endpoint, locality, another, priority);
  }
}
