package io.outrigger.config.listener;

import io.outrigger.config.route.RouteTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An API listener (A27).
 *
 * @param maxStreamDuration the connection manager's common limit; empty when unset, zero for none
 */
public record ListenerResource(
    String name,
    RouteSource routes,
    List<HttpFilter> filters,
    Optional<Duration> maxStreamDuration) {
  public ListenerResource {
    filters = List.copyOf(filters);
  }

  /** Where the routes come from. */
  public sealed interface RouteSource {
    /** In the listener itself. */
    record Inline(RouteTable table) implements RouteSource {}

    /** A RouteConfiguration resource of that name. */
    record Rds(String name) implements RouteSource {}
  }
}
