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
   * The hash of the request by its route's hash policies; empty when each request gets a different
   * hash.
   */
  OptionalLong hash();

  /** The value of a request header, as {@link PickContext#header} returns it. */
  @Nullable String header(String name);

  /**
   * The endpoints that the calls of the session used before, the best first; the list is empty for
   * a session that begins, and there is no list for a call without a session ({@link
   * SessionHint#preferred}).
   */
  default Optional<List<EndpointAddress>> session() {
    return Optional.empty();
  }
}
