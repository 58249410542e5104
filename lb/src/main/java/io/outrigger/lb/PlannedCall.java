package io.outrigger.lb;

import io.outrigger.config.endpoint.EndpointAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A hypothetical call: the properties on which a {@link Picker#plan} may depend. Instances are
 * immutable and may be used on any thread.
 */
public interface PlannedCall {
  /**
   * The hash that the route's hash policies compute for the request; empty when each request gets a
   * different hash.
   */
  OptionalLong hash();

  /** The value of a request header, as {@link PickContext#header} returns it. */
  @Nullable String header(String name);

  /**
   * The endpoints that earlier calls of the session used, the best first (see {@link
   * SessionHint#preferred}). The list is empty for a new session. The {@code Optional} is empty for
   * a call without a session.
   */
  default Optional<List<EndpointAddress>> session() {
    return Optional.empty();
  }
}
