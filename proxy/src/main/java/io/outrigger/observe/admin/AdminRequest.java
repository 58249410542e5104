package io.outrigger.observe.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request that the guard has accepted.
 *
 * @param path the path without the query
 * @param query the decoded parameters, in order
 */
@AnyThread
public record AdminRequest(
    Method method, String path, Map<String, List<String>> query, HttpHeaders headers) {
  /** The two methods that the admin server supports. */
  public enum Method {
    GET,
    POST
  }

  /** Returns the last event that a reconnecting reader of events has seen. */
  public Optional<String> lastEventId() {
    return Optional.ofNullable(headers.get("last-event-id"));
  }

  /** Returns the {@code accept} header; empty when there is none. */
  public String accept() {
    return String.join(",", headers.getAll(HttpHeaderNames.ACCEPT));
  }

  /** Returns the first value of a query parameter. */
  public Optional<String> parameter(String name) {
    List<String> values = query.get(name);
    return values == null || values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
  }

  /**
   * Returns the value of a query parameter, which must be one of {@code words}; empty without the
   * parameter.
   *
   * @throws IllegalArgumentException for another value, which the server answers with 400
   */
  public Optional<String> choice(String name, String... words) {
    Optional<String> given = parameter(name);
    if (given.isPresent() && !List.of(words).contains(given.get())) {
      throw new IllegalArgumentException(
          name + " is " + String.join(" or ", words) + ", or left out");
    }
    return given;
  }

  /**
   * Returns why the request has a parameter that is not one of {@code known}; empty when it has
   * none. Otherwise the reply would ignore a misspelt parameter and so answer a different question.
   */
  public Optional<String> unknownParameter(List<String> known) {
    return query.keySet().stream()
        .filter(name -> !known.contains(name))
        .findFirst()
        .map(
            name ->
                "unknown parameter "
                    + AdminGuard.quoted(name)
                    + (known.isEmpty()
                        ? "; there are none here"
                        : "; known are " + String.join(", ", known)));
  }
}
