package io.outrigger.observe.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A GET or POST request that the guard has accepted.
 *
 * @param path the path without the query
 * @param query the decoded parameters, in order
 */
public record AdminRequest(String path, Map<String, List<String>> query, HttpHeaders headers) {
  /**
   * Checks a request.
   *
   * @throws IllegalArgumentException if the condition is false; the server then replies with 400
   *     and the given text
   */
  public static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** Returns the id of the last event that a reconnecting client has received. */
  public Optional<String> lastEventId() {
    return Optional.ofNullable(headers.get("last-event-id"));
  }

  public String accept() {
    return String.join(",", headers.getAll(HttpHeaderNames.ACCEPT));
  }

  public Optional<String> parameter(String name) {
    List<String> values = query.get(name);
    return values == null || values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
  }

  /**
   * Returns the value of a query parameter; empty without the parameter.
   *
   * @throws IllegalArgumentException when the value is not one of the allowed words
   */
  public Optional<String> choice(String name, String... words) {
    Optional<String> given = parameter(name);
    require(
        given.isEmpty() || List.of(words).contains(given.get()),
        name + " is " + String.join(" or ", words) + ", or left out");
    return given;
  }

  /**
   * Rejects unknown parameters, because the reply to a misspelt parameter would be misleading.
   *
   * @throws IllegalArgumentException when a parameter is not one of the known parameters
   */
  public void requireOnly(List<String> known) {
    for (String name : query.keySet()) {
      require(
          known.contains(name),
          "unknown parameter "
              + AdminGuard.quoted(name)
              + (known.isEmpty() ? "; there are none here" : "; known are ")
              + String.join(", ", known));
    }
  }
}
