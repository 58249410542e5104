package io.outrigger.bench;

import io.outrigger.base.RandomSource;
import io.outrigger.bench.Routes.Request;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.RouteDecision;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Route selection among the 1,000 routes of one virtual host ({@link Routes#thousand}). */
@State(Scope.Benchmark)
public class RouteBenchmark {
  /** Which kind of route decides. */
  @Param({"exact", "prefix", "header", "last"})
  public String decides = "";

  private final List<Route> routes = Routes.thousand();
  private final ConfigSelector selector = Routes.selector(routes);
  private RequestView request = new Request("", Map.of());

  @Setup
  public void build() {
    request =
        switch (decides) {
          case "exact" -> new Request("/shop.v1.Service70/Method5", Map.of());
          case "prefix" -> new Request("/shop.v1.Service71/Other", Map.of());
          case "header" -> new Request("/shop.v1.Service70/Other", Map.of("x-tenant", "gold"));
          case "last" -> new Request("/elsewhere.Service/Method", Map.of());
          default -> throw new IllegalArgumentException(decides);
        };
  }

  /** From the head of a request to its decision; the cluster is held and let go. */
  @Benchmark
  @Target(nanos = 1000, bytes = 0)
  public @Nullable RouteDecision select() {
    return Routes.decide(selector, request);
  }

  /** What the index saves: each route is asked in turn. */
  @Benchmark
  @Target
  public @Nullable Route scan() {
    for (int i = 0; i < routes.size(); i++) {
      if (routes.get(i).match().miss(request.path(), request, RandomSource.SYSTEM)
          == RouteMatch.NO_MISS) {
        return routes.get(i);
      }
    }
    return null;
  }
}
