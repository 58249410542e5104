package io.outrigger.observe.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.netty.util.AsciiString;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.RequestHead;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ConfigSelectors;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import io.outrigger.observe.explain.Explanation.Branch;
import io.outrigger.observe.explain.Explanation.Result;
import io.outrigger.observe.explain.Explanation.Verdict;
import io.outrigger.program.testing.mesh.DefaultSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests for random routes and requests that the explanation matches the selector's decisions. */
class ExplainerPropertiesTest {
  private static final List<String> PATHS = List.of("/p.S/A", "/p.S/B", "/p.S/Ab", "/q.T/A");
  private static final List<String> CLUSTERS = List.of("alpha", "beta", "gamma");
  private static final int SELECTIONS = 400;
  private static final FilterConfig.Fault NO_FAULT =
      new FilterConfig.Fault(Optional.empty(), Optional.empty(), Optional.empty());

  private final Map<String, ClusterHandle> handles = new HashMap<>();

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whatIsExplainedIsWhatIsSelected(long seed) {
    var random = new Random(seed);
    for (int table = 0; table < 20; table++) {
      var target = target(routes(random));
      for (int i = 0; i < 4; i++) {
        check(target, request(random), random);
      }
    }
    handles.values().forEach(handle -> assertThat(handle.callsInUse()).isZero());
  }

  private void check(Target target, RequestHead request, Random random) {
    Explanation explanation = explain(target, request);
    Map<String, Double> explained = new HashMap<>();
    for (Branch branch : explanation.branches()) {
      explained.merge(text(branch.decision()), branch.probability(), Double::sum);
    }
    Map<String, Double> selected = new HashMap<>();
    for (int i = 0; i < SELECTIONS; i++) {
      RouteDecision decision =
          target.selector().select(request, (bound, purpose) -> random.nextLong(bound));
      selected.merge(text(decision), 1.0 / SELECTIONS, Double::sum);
      if (decision instanceof RouteDecision.Forward chosen) {
        chosen.cluster().release();
        Verdict verdict =
            explanation.routes().stream()
                .filter(each -> each.route().equals(chosen.route()))
                .findFirst()
                .orElseThrow();
        assertThat(verdict.result()).isIn(Result.HIT, Result.POSSIBLE);
      }
    }

    assertThat(explained.values().stream().mapToDouble(d -> d).sum()).isCloseTo(1, within(1e-9));
    assertThat(explained.keySet()).containsAll(selected.keySet());
    explained.forEach(
        (decision, probability) ->
            assertThat(selected.getOrDefault(decision, 0.0))
                .as(decision)
                .isCloseTo(probability, within(0.13)));
    for (Verdict verdict : explanation.routes()) {
      if (verdict.result() == Result.MISSED) {
        String path = request.path();
        assertThat(verdict.route().match().miss(path, request, (bound, purpose) -> 0))
            .as("%s missed %s", verdict.route(), verdict.matcher())
            .isNotEqualTo(RouteMatch.NO_MISS);
        assertThat(verdict.matcher()).isNotEmpty();
      }
    }
  }

  @Test
  void eachEarlierRouteNamesTheMatcherThatMissed() {
    var canary = new HeaderMatcher.Value("x-canary", new StringMatcher.Exact("yes", false), false);
    var target =
        target(
            List.of(
                route(0, "/other", List.of(), Optional.empty(), "alpha"),
                route(1, "/p.S/", List.of(canary), Optional.empty(), "alpha"),
                route(2, "/p.S/", List.of(), Optional.of(new Fraction(25, 100)), "beta"),
                route(3, "/", List.of(), Optional.empty(), "gamma"),
                route(4, "/", List.of(), Optional.empty(), "alpha")));

    Explanation explanation = explain(target, request("/p.S/A"));

    assertThat(explanation.routes())
        .extracting(verdict -> verdict.result() + " " + verdict.matcher())
        .containsExactly(
            "MISSED path with prefix \"/other\"",
            "MISSED header x-canary exactly \"yes\"",
            "POSSIBLE share 25 in 100",
            "HIT ");
    assertThat(explanation.furtherRoutes()).isEqualTo(1);
    assertThat(explanation.branches())
        .extracting(branch -> branch.probability() + " " + text(branch.decision()))
        .containsExactly("0.75 3 gamma", "0.25 2 beta");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("overrides")
  void aSessionLeadsTheDrawsThatKeepItToItsCluster(
      String what, Map<String, FilterConfig> overridesOfAlpha, List<String> branches) {
    var weighted =
        new ClusterChoice.Weighted(
            List.of(
                new WeightedCluster("alpha", 1, overridesOfAlpha),
                new WeightedCluster("beta", 2, Map.of()),
                new WeightedCluster("gamma", 1, Map.of())));
    var route =
        new Route(
            "",
            0,
            new RouteMatch(new StringMatcher.Prefix("/", false), List.of(), Optional.empty()),
            new RouteAction.Forward(weighted, RouteTimeout.UNSET),
            Map.of());
    var cookie = new FilterConfig.SessionCookie("home", "", Duration.ZERO);
    var target =
        target(
            List.of(route),
            List.of(
                new HttpFilter("session", new FilterConfig.StatefulSession(Optional.of(cookie))),
                new HttpFilter("fault", NO_FAULT)));
    String value =
        Base64.getEncoder().encodeToString("10.0.0.1:80;beta".getBytes(StandardCharsets.UTF_8));

    Explanation explanation = explain(target, request("/p.S/A", "cookie", "home=" + value));

    assertThat(explanation.branches())
        .extracting(
            branch ->
                "%s %s%s%s"
                    .formatted(
                        branch.probability(),
                        branch.cluster(),
                        branch.session().isPresent() ? " session" : "",
                        branch.filters().isEmpty() ? "" : " fault"))
        .containsExactlyElementsOf(branches);
    handles.values().forEach(handle -> assertThat(handle.callsInUse()).isZero());
  }

  static List<Arguments> overrides() {
    var abort =
        new FilterConfig.Fault(
            Optional.empty(),
            Optional.of(
                new FilterConfig.Abort(Optional.of(14), Optional.empty(), new Fraction(100, 100))),
            Optional.empty());
    return List.of(
        Arguments.of("no override", Map.of(), List.of("1.0 beta session")),
        Arguments.of(
            "the first cluster keeps no sessions",
            Map.of("session", FilterConfig.StatefulSession.OFF),
            List.of("0.75 beta session", "0.25 alpha")),
        Arguments.of(
            "the first cluster has a fault",
            Map.of("fault", abort),
            List.of("0.75 beta session", "0.25 beta session fault")));
  }

  @Test
  void aTargetWithoutConfigurationIsWaitedFor() {
    Explanation explanation = explain(new Target(null), request("/p.S/A"));

    assertThat(explanation.branches()).isEmpty();
    assertThat(explanation.routes()).isEmpty();
  }

  private Explanation explain(Target target, RequestHead request) {
    var forward =
        new Forward(
            "orders",
            DefaultSettings.forward("node"),
            TargetResolver.fixed(target),
            call -> {},
            CallTracer.NONE,
            DefaultSettings.MEMORY,
            1);
    return Explainer.explain(
        forward, target, request, Optional.empty(), cluster -> Optional.empty(), Map.of());
  }

  private static String text(@Nullable RouteDecision decision) {
    return decision instanceof RouteDecision.Forward chosen
        ? chosen.route().index() + " " + chosen.cluster().name()
        : String.valueOf(decision);
  }

  private Target target(List<Route> routes) {
    return target(routes, List.of());
  }

  private Target target(List<Route> routes, List<HttpFilter> filters) {
    CLUSTERS.forEach(name -> handles.computeIfAbsent(name, ClusterHandles::named));
    var host = new VirtualHost("vh", List.of("*"), routes, Map.of());
    var table = new RouteTable("rc", List.of(host));
    var listener =
        new ApiListener("orders", new RouteSource.Inline(table), filters, Optional.empty());
    return new Target(
        new ConfigSelectors("orders", HttpFilters.ofProcess(), false)
            .next(new XdsConfig(listener, table, host, Map.of()), handles));
  }

  private static List<Route> routes(Random random) {
    List<Route> routes = new ArrayList<>();
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      routes.add(route(random, i));
    }
    return routes;
  }

  private static Route route(Random random, int index) {
    String path = PATHS.get(random.nextInt(PATHS.size()));
    StringMatcher matcher =
        random.nextInt(3) == 0
            ? new StringMatcher.Exact(path, random.nextBoolean())
            : new StringMatcher.Prefix(
                path.substring(0, random.nextInt(path.length() + 1)), random.nextBoolean());
    List<HeaderMatcher> headers = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      headers.add(
          random.nextBoolean()
              ? new HeaderMatcher.Present("x-" + random.nextInt(2), random.nextBoolean())
              : new HeaderMatcher.Value(
                  "x-" + random.nextInt(2),
                  new StringMatcher.Prefix("" + random.nextInt(3), false),
                  random.nextBoolean()));
    }
    Optional<Fraction> share =
        random.nextInt(3) == 0
            ? Optional.of(new Fraction(List.of(0, 20, 50, 100).get(random.nextInt(4)), 100))
            : Optional.empty();
    var match = new RouteMatch(matcher, headers, share);
    return new Route("", index, match, action(random), Map.of());
  }

  private static RouteAction action(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> new RouteAction.Unsupported("redirect");
      case 1, 2 ->
          new RouteAction.Forward(
              new ClusterChoice.Weighted(
                  CLUSTERS.stream()
                      .map(
                          name ->
                              new WeightedCluster(
                                  name, name.equals("beta") ? 1 : random.nextInt(4), Map.of()))
                      .toList()),
              RouteTimeout.UNSET);
      default -> forward(CLUSTERS.get(random.nextInt(CLUSTERS.size())));
    };
  }

  private static Route route(
      int index,
      String prefix,
      List<HeaderMatcher> headers,
      Optional<Fraction> share,
      String cluster) {
    var match = new RouteMatch(new StringMatcher.Prefix(prefix, false), headers, share);
    return new Route("", index, match, forward(cluster), Map.of());
  }

  private static RouteAction forward(String cluster) {
    return new RouteAction.Forward(new ClusterChoice.Single(cluster), RouteTimeout.UNSET);
  }

  private static RequestHead request(Random random) {
    String path = PATHS.get(random.nextInt(PATHS.size()));
    return random.nextBoolean()
        ? request(path, "x-" + random.nextInt(2), random.nextInt(3) + "1")
        : request(path);
  }

  private static RequestHead request(String path, String... header) {
    var block =
        HeaderList.builder(5)
            .add(KnownName.METHOD, "POST")
            .add(KnownName.SCHEME, "http")
            .add(KnownName.PATH, path);
    if (header.length > 0) {
      block.add(new AsciiString(header[0]), header[1]);
    }
    return RequestHead.of(block.build());
  }

  /** A target whose selector never changes. */
  private record Target(@Nullable ConfigSelector selector) implements ForwardTarget {
    @Override
    public String name() {
      return "xds:///orders";
    }

    @Override
    public String authority() {
      return "orders";
    }

    @Override
    public long park(ParkedCall call, @Nullable ConfigSelector seen) {
      throw new AssertionError("nothing waits");
    }

    @Override
    public boolean unpark(long ticket) {
      return false;
    }
  }
}
