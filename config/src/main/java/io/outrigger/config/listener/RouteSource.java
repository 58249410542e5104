package io.outrigger.config.listener;

import io.outrigger.config.route.RouteTable;
import java.util.function.Function;

/** The source of the routes of an HTTP connection manager. */
public sealed interface RouteSource {
  <T> T match(Function<RouteTable, T> inline, Function<String, T> rds);

  record Inline(RouteTable table) implements RouteSource {
    @Override
    public <T> T match(Function<RouteTable, T> inline, Function<String, T> rds) {
      return inline.apply(table);
    }
  }

  record Rds(String name) implements RouteSource {
    @Override
    public <T> T match(Function<RouteTable, T> inline, Function<String, T> rds) {
      return rds.apply(name);
    }
  }
}
