package io.outrigger.lb;

import io.outrigger.config.endpoint.EndpointAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A call that is not made: what a {@link Picker#plan} may depend on. Immutable; any thread. */
public interface PlannedCall {
  /** The hash of the request by its route's policies; empty when each request gets another. */
  OptionalLong hash();

  /** As {@link PickContext#header}. */
  @Nullable String header(String name);

  /**
   * Where the calls of its session went before, the best first; an empty list for a session that
   * begins, nothing for a call without a session ({@link SessionHint#preferred}).
   */
  default Optional<List<EndpointAddress>> session() {
    return Optional.empty();
  }
}
