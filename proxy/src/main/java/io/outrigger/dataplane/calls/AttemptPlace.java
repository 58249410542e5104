package io.outrigger.dataplane.calls;

import java.util.Comparator;
import java.util.Optional;

/**
 * Where attempts went, as far as metrics tell.
 *
 * @param cluster the leaf ({@code grpc.lb.backend_service}, A89)
 * @param locality in A78's form ({@code grpc.lb.locality}), the empty text where none is known;
 *     empty unless metrics are to tell localities apart
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
