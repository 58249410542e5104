package io.outrigger.observe.admin;

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

  /**
   * The value of a query parameter that is one of {@code words}; empty when it is left out.
   *
   * @throws IllegalArgumentException when it is another, which the server answers with 400
   */
  public Optional<String> choice(String name, String... words) {
    Optional<String> given = parameter(name);
    if (given.isPresent() && !List.of(words).contains(given.get())) {
      throw new IllegalArgumentException(
          name + " is " + String.join(" or ", words) + ", or left out");
    }
    return given;
  }
}
