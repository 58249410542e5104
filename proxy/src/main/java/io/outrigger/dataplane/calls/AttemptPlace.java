package io.outrigger.dataplane.calls;

import java.util.Comparator;
import java.util.Optional;

/**
 * The attributes of metrics that identify where attempts went.
 *
 * @param cluster the leaf cluster ({@code grpc.lb.backend_service}, A89)
 * @param locality the locality in A78's form ({@code grpc.lb.locality}), or an empty text for an
 *     unknown locality; absent unless metrics distinguish localities
 */
public record AttemptPlace(String cluster, Optional<String> locality)
    implements Comparable<AttemptPlace> {
  private static final Comparator<AttemptPlace> BY_NAME =
      Comparator.comparing(AttemptPlace::cluster)
          .thenComparing(place -> place.locality().orElse(""));

  @Override
  public int compareTo(AttemptPlace other) {
    return BY_NAME.compare(this, other);
  }
}
