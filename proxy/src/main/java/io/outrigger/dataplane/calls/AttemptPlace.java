package io.outrigger.dataplane.calls;

import io.outrigger.config.endpoint.Locality;
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
}
