package io.outrigger.observe.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Set;

/**
 * The labels of a balancing instrument.
 *
 * @param target the xDS target ({@code grpc.target})
 * @param cluster the leaf cluster ({@code grpc.lb.backend_service}, A89)
 * @param locality the locality in A78's form ({@code grpc.lb.locality}); empty when there is none
 */
public record Place(String target, String cluster, String locality) {
  /**
   * The largest number of places in one instrument, since a control plane that invents names must
   * not exhaust the memory.
   */
  static final int MOST = 5_000;

  /** The cluster name for all clusters beyond the bound, as in A66 for methods. */
  static final String OTHER = "other";

  /**
   * Returns this place, or the common place of its target when {@code known} has reached the bound.
   */
  Place among(Set<Place> known) {
    return known.size() < MOST || known.contains(this) ? this : new Place(target, OTHER, "");
  }

  Labels labels() {
    return Labels.of(
        "grpc.target", target, "grpc.lb.backend_service", cluster, "grpc.lb.locality", locality);
  }
}
