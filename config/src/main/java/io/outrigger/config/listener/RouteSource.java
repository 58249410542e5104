package io.outrigger.config.listener;

import io.outrigger.config.route.RouteTable;

/** The source of the routes of an HTTP connection manager. */
public sealed interface RouteSource {
  record Inline(RouteTable table) implements RouteSource {}

  record Rds(String name) implements RouteSource {}
}
