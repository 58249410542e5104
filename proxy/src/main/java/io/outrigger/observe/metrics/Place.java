package io.outrigger.observe.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Set;

/**
 * What instruments of balancing are labelled with.
 *
 * @param target the xDS target ({@code grpc.target})
 * @param cluster the leaf ({@code grpc.lb.backend_service}, A89)
 * @param locality in A78's form ({@code grpc.lb.locality}); empty where there is none
 */
public record Place(String target, String cluster, String locality) {
  /** Of one instrument: a control plane that makes up names must not fill the memory. */
  static final int MOST = 5_000;

  /** What stands for clusters beyond the bound, as A66 has it for methods. */
  static final String OTHER = "other";

  /** This one, or where it is counted when {@code known} are enough. */
  Place among(Set<Place> known) {
    return known.size() < MOST || known.contains(this) ? this : new Place(target, OTHER, "");
  }

  Labels labels() {
    return Labels.of(
        "grpc.target", target, "grpc.lb.backend_service", cluster, "grpc.lb.locality", locality);
  }
}
