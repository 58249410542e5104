package io.outrigger.dataplane.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.route.WireText;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConfigSelectorTest {
  private final Map<String, ClusterHandle> handles = new HashMap<>();
  private final ScriptedRandom random = new ScriptedRandom(7);

  @Conformance("A28-04")
  @Test
  void theFirstRouteThatMatchesDecides() {
    var selector =
        selector(
            route(new StringMatcher.Exact("/pkg.Svc/A", false), forward("a")),
            route(new StringMatcher.Prefix("/pkg.Svc/", false), forward("b")),
            route(new StringMatcher.Prefix("", false), forward("c")));

    assertThat(cluster(selector, "/pkg.Svc/A")).isEqualTo("a");
    assertThat(cluster(selector, "/pkg.Svc/B")).isEqualTo("b");
    assertThat(cluster(selector, "/other")).isEqualTo("c");
  }

  @Conformance("A28-04")
  @Test
  void aFractionThatDrawsNoGoesOnToTheNextRoute() {
    var half = Optional.of(new Fraction(50, 100));
    var selector =
        selector(
            new Route(
                "",
                0,
                new RouteMatch(new StringMatcher.Prefix("", false), List.of(), half),
                forward("a"),
                Map.of()),
            route(new StringMatcher.Prefix("", false), forward("b")));
    random.next(Purpose.ROUTE_FRACTION, 49, 50);

    assertThat(cluster(selector, "/x")).isEqualTo("a");
    assertThat(cluster(selector, "/x")).isEqualTo("b");
  }

  @Conformance("A31-05")
  @Test
  void noMatchIsUnavailableAndNamesAuthorityAndPath() {
    var selector = selector(route(new StringMatcher.Exact("/a", false), forward("a")));

    var decision = (RouteDecision.Reject) select(selector, "/nope?q=1");

    assertThat(decision.answer().status())
        .isEqualTo(RpcStatus.unavailable("no route for authority \"orders\" and path /nope"));
    assertThat(
            ((RouteDecision.Reject) select(selector, WireText.of("/größe")))
                .answer()
                .status()
                .message())
        .isEqualTo("no route for authority \"orders\" and path /größe");
    assertThat(decision.answer().reason()).isEqualTo(LocalReason.NO_ROUTE);
    assertThat(((RouteDecision.Reject) select(selector, "?q=1")).answer().status().message())
        .isEqualTo("no route for authority \"orders\" and path ");
  }

  @Test
  void anExpressionThatOverflowsTheStackFailsOnlyItsRequests() {
    var tooLarge = new StringMatcher.Regex(Pattern.compile("/x" + "(((a?)))".repeat(2000)));
    var selector = selector(route(tooLarge, forward("a")));

    assertThat(((RouteDecision.Reject) select(selector, "/xb")).answer().status())
        .isEqualTo(
            RpcStatus.internal(
                "a regular expression in the routes of authority \"orders\" is too large to"
                    + " match"));
  }

  @Test
  void theRoutesAreListedInTheirOrder() {
    Route a = route(new StringMatcher.Exact("/a", false), forward("a"));
    Route b = route(new StringMatcher.Prefix("", false), forward("b"));

    assertThat(selector(a, b).routes()).containsExactly(a, b);
  }

  @Conformance("A31-39")
  @Test
  void anUnsupportedActionFailsInsteadOfFallingThrough() {
    var selector =
        selector(
            route(new StringMatcher.Prefix("/a", false), new RouteAction.Unsupported("redirect")),
            route(new StringMatcher.Prefix("", false), forward("b")));

    var decision = (RouteDecision.Reject) select(selector, "/a");

    assertThat(decision.answer().status())
        .isEqualTo(RpcStatus.unavailable("route #0 has an action that is not supported: redirect"));
  }

  @Conformance("A31-39")
  @Test
  void anUnsupportedActionIsToldByTheNameOfItsRoute() {
    var match = new RouteMatch(new StringMatcher.Prefix("", false), List.of(), Optional.empty());
    var selector =
        selector(new Route("moved", 3, match, new RouteAction.Unsupported("redirect"), Map.of()));

    assertThat(((RouteDecision.Reject) select(selector, "/a")).answer().status().message())
        .isEqualTo("route \"moved\" has an action that is not supported: redirect");
  }

  @Test
  void headersAreMatchedAfterThePath() {
    var canary = new HeaderMatcher.Value("x-canary", new StringMatcher.Exact("yes", false), false);
    var selector =
        selector(
            new Route(
                "",
                0,
                new RouteMatch(
                    new StringMatcher.Prefix("/", false), List.of(canary), Optional.empty()),
                forward("canary"),
                Map.of()),
            route(new StringMatcher.Prefix("/", false), forward("stable")));

    assertThat(clusterOf(selector.select(request("/a", "x-canary", "yes"), random)))
        .isEqualTo("canary");
    assertThat(cluster(selector, "/a")).isEqualTo("stable");
  }

  @Conformance("A31-34")
  @Test
  void weightsAreFollowedWithinTolerance() {
    var selector =
        selector(
            route(
                new StringMatcher.Prefix("", false),
                new RouteAction.Forward(
                    new ClusterChoice.Weighted(List.of(weighted("a", 1), weighted("b", 3))),
                    RouteTimeout.UNSET)));
    Map<String, Integer> counts = new HashMap<>();

    for (int i = 0; i < 4000; i++) {
      counts.merge(cluster(selector, "/x"), 1, Integer::sum);
    }

    assertThat(counts.get("a")).isBetween(880, 1120);
    assertThat(counts.get("a") + counts.get("b")).isEqualTo(4000);
  }

  @Conformance({"A33-07", "A39-03", "A31-42"})
  @Test
  void filtersAreThoseOfTheRouteAndClusterThatWereChosen() {
    var listener = fault(1);
    var host = Map.<String, FilterConfig>of("fault", fault(2));
    var ofRoute = Map.<String, FilterConfig>of("fault", fault(3));
    var ofCluster = Map.<String, FilterConfig>of("fault", fault(4));
    var weighted =
        new RouteAction.Forward(
            new ClusterChoice.Weighted(
                List.of(
                    new WeightedCluster("a", 1, ofCluster), new WeightedCluster("b", 1, Map.of()))),
            RouteTimeout.UNSET);
    var selector =
        selector(
            List.of(new HttpFilter("fault", listener)),
            host,
            route(new StringMatcher.Exact("/weighted", false), weighted, ofRoute),
            route(new StringMatcher.Exact("/route", false), forward("c"), ofRoute),
            route(new StringMatcher.Exact("/host", false), forward("c")));
    random.next(Purpose.CLUSTER_WEIGHT, 0, 1);

    assertThat(aborts(selector, "/weighted")).isEqualTo(4);
    assertThat(aborts(selector, "/weighted")).isEqualTo(3);
    assertThat(aborts(selector, "/route")).isEqualTo(3);
    assertThat(aborts(selector, "/host")).isEqualTo(2);
  }

  @Conformance({"A55-06", "A55-13", "A31-42"})
  @Test
  void aCallChangesToAnotherClusterOfItsRouteOnly() {
    var action =
        new RouteAction.Forward(
            new ClusterChoice.Weighted(List.of(weighted("a", 1), weighted("b", 1))),
            RouteTimeout.UNSET);
    var selector =
        selector(
            route(new StringMatcher.Exact("/split", false), action),
            route(new StringMatcher.Prefix("", false), forward("elsewhere")));
    random.next(Purpose.CLUSTER_WEIGHT, 0, 0, 0);

    assertThat(changed(selector, "b")).isEqualTo("b");
    assertThat(changed(selector, "elsewhere")).isEqualTo("a");
    ClusterHandles.retire(handles.get("b"));
    assertThat(changed(selector, "b")).isEqualTo("a");

    handles.values().forEach(handle -> assertThat(handle.callsInUse()).isZero());
  }

  /** The cluster that a call holds after a change to {@code wanted}; released at once. */
  private String changed(ConfigSelector selector, String wanted) {
    var decision = (RouteDecision.Forward) Objects.requireNonNull(select(selector, "/split"));
    ClusterHandle held = decision.change(decision.cluster(), wanted);
    assertThat(held.callsInUse()).isEqualTo(1);
    held.release();
    return held.name();
  }

  @Test
  void withoutFiltersTheChainIsNone() {
    var selector = selector(route(new StringMatcher.Prefix("", false), forward("a")));

    var decision = (RouteDecision.Forward) Objects.requireNonNull(select(selector, "/x"));

    assertThat(decision.filters().isEmpty()).isTrue();
  }

  private static FilterConfig fault(int code) {
    var abort = new FilterConfig.Abort(Optional.of(code), Optional.empty(), new Fraction(100, 100));
    return new FilterConfig.Fault(Optional.empty(), Optional.of(abort), Optional.empty());
  }

  /** The code with which the filters of the route for {@code path} abort a call. */
  private int aborts(ConfigSelector selector, String path) {
    var decision = (RouteDecision.Forward) Objects.requireNonNull(select(selector, path));
    var plan = decision.filters().plan(request(path), Set.of()).get(0);
    return Integer.parseInt(String.valueOf(plan.effects().get("abort")).split(" ", -1)[2]);
  }

  @Conformance("A31-11")
  @Test
  void aClusterThatBalancingDoesNotKnowIsInternal() {
    var selector =
        new ConfigSelectors("orders", HttpFilters.ofProcess(), false)
            .next(config(route(new StringMatcher.Prefix("", false), forward("a"))), Map.of());

    var decision = (RouteDecision.Reject) select(selector, "/x");

    assertThat(decision.answer().status().code()).isEqualTo(RpcStatus.Code.INTERNAL);
  }

  @Conformance("A31-08")
  @Test
  void aRetiredClusterSendsTheCallerToANewerSelector() {
    var selector = selector(route(new StringMatcher.Prefix("", false), forward("a")));
    ClusterHandles.retire(handles.get("a"));

    assertThat(selector.select(request("/x"), random)).isNull();
  }

  @Conformance({"A88-20", "A74-02"})
  @Test
  void aTargetWithoutConfigurationFailsEveryRequestAsUnavailable() {
    var selector =
        ConfigSelector.failing(new RpcStatus(RpcStatus.Code.NOT_FOUND, "no listener"), false);

    var decision = (RouteDecision.Reject) select(selector, "/x");

    assertThat(decision.answer().status()).isEqualTo(RpcStatus.unavailable("no listener"));
  }

  private ConfigSelector selector(Route... routes) {
    return selector(List.of(), Map.of(), routes);
  }

  private ConfigSelector selector(
      List<HttpFilter> filters, Map<String, FilterConfig> hostOverrides, Route... routes) {
    XdsConfig config = config(filters, hostOverrides, routes);
    for (String name : config.virtualHost().clusters()) {
      handles.put(name, ClusterHandles.named(name));
    }
    return new ConfigSelectors("orders", HttpFilters.ofProcess(), false).next(config, handles);
  }

  private static XdsConfig config(Route... routes) {
    return config(List.of(), Map.of(), routes);
  }

  private static XdsConfig config(
      List<HttpFilter> filters, Map<String, FilterConfig> hostOverrides, Route... routes) {
    List<Route> numbered = new ArrayList<>(List.of(routes));
    var host = new VirtualHost("vh", List.of("*"), numbered, hostOverrides);
    var table = new RouteTable("rc", List.of(host));
    var listener =
        new ApiListener("orders", new RouteSource.Inline(table), filters, Optional.empty());
    return new XdsConfig(
        listener,
        table,
        host,
        Map.<String, Outcome<io.outrigger.config.snapshot.ClusterConfig>>of());
  }

  private static Route route(StringMatcher path, RouteAction action) {
    return route(path, action, Map.of());
  }

  private static Route route(
      StringMatcher path, RouteAction action, Map<String, FilterConfig> overrides) {
    return new Route("", 0, new RouteMatch(path, List.of(), Optional.empty()), action, overrides);
  }

  private static RouteAction forward(String cluster) {
    return new RouteAction.Forward(new ClusterChoice.Single(cluster), RouteTimeout.UNSET);
  }

  private static WeightedCluster weighted(String cluster, long weight) {
    return new WeightedCluster(cluster, weight, Map.of());
  }

  private @Nullable RouteDecision select(ConfigSelector selector, String path) {
    return selector.select(request(path), random);
  }

  private String cluster(ConfigSelector selector, String path) {
    return clusterOf(select(selector, path));
  }

  private static String clusterOf(@Nullable RouteDecision decision) {
    return ((RouteDecision.Forward) Objects.requireNonNull(decision)).cluster().name();
  }

  private static RequestView request(String path, String... headers) {
    return new RequestView() {
      @Override
      public String path() {
        return path;
      }

      @Override
      public @Nullable String header(String name) {
        for (int i = 0; i < headers.length; i += 2) {
          if (headers[i].equals(name)) {
            return headers[i + 1];
          }
        }
        return null;
      }
    };
  }
}
