package io.outrigger.dataplane.calls;

import io.outrigger.config.endpoint.Locality;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of metrics that identify where attempts went.
 *
 * @param cluster the leaf cluster ({@code grpc.lb.backend_service}, A89)
 * @param locality the locality; null when unknown, or when metrics do not distinguish localities
 */
public record AttemptPlace(String cluster, @Nullable Locality locality) {
  /** The value of {@code grpc.lb.locality}: A78's form, or an empty text for no locality. */
  public String localityLabel() {
    return locality == null ? "" : locality.label();
  }

  // Written by hand, since calls that alternate between clusters look up places. The generated
  // methods of a record use method handles, which cost more than all other counting of a call
  // until C2 compiles them.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AttemptPlace that
        && cluster.equals(that.cluster)
        && Objects.equals(locality, that.locality);
  }

  @Override
  public int hashCode() {
    return 31 * cluster.hashCode() + Objects.hashCode(locality);
  }
}
