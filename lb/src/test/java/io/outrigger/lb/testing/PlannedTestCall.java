package io.outrigger.lb.testing;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.PlannedCall;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A call that is not made, with this hash, these headers and this session. */
public record PlannedTestCall(
    OptionalLong hash, Map<String, String> headers, Optional<List<EndpointAddress>> session)
    implements PlannedCall {
  /** A call without a session. */
  public PlannedTestCall(OptionalLong hash, Map<String, String> headers) {
    this(hash, headers, Optional.empty());
  }

  @Override
  public @Nullable String header(String name) {
    return headers.get(name);
  }
}
