package io.outrigger.proxy.admin;

import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request that passed the guard.
 *
 * @param path without query
 * @param query parameters, decoded, in order
 * @param lastEventId of a reader of events that comes back
 */
@AnyThread
public record AdminRequest(
    Method method, String path, Map<String, List<String>> query, Optional<String> lastEventId) {
  /** The two methods that the admin server knows. */
  public enum Method {
    GET,
    POST
  }

  /** The first value of a query parameter. */
  public Optional<String> parameter(String name) {
    List<String> values = query.get(name);
    return values == null || values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
  }
}
