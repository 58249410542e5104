package io.outrigger.config.listener;

import io.outrigger.config.route.RouteTable;

/** The source of the routes of an HTTP connection manager. */
public sealed interface RouteSource {
  /** Routes within the listener itself. */
  record Inline(RouteTable table) implements RouteSource {}

  /** Routes in the RouteConfiguration resource with that name. */
  record Rds(String name) implements RouteSource {}
}
