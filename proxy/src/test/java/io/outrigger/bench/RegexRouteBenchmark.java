package io.outrigger.bench;

import io.outrigger.bench.Routes.Request;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.RouteDecision;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What regular expressions cost when they have to be asked: time and memory are re2j's. */
@State(Scope.Benchmark)
public class RegexRouteBenchmark {
  private static final String PATH = "/shop.v1.Service70/List42";

  private final ConfigSelector keyed = Routes.selector(Routes.thousand());
  private final ConfigSelector unkeyed = Routes.selector(Routes.unkeyed(10, PATH));
  private final RequestView request = new Request(PATH, Map.of());

  /** One of 99 that begin with a literal decides; the index leaves out the others. */
  @Benchmark
  @Target
  public @Nullable RouteDecision oneOfThousand() {
    return Routes.decide(keyed, request);
  }

  /** Ten that begin with anything stand before the exact path that decides: each is asked. */
  @Benchmark
  @Target
  public @Nullable RouteDecision behindTenOpenOnes() {
    return Routes.decide(unkeyed, request);
  }
}
