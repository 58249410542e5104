package io.outrigger.bench;

import com.google.re2j.Pattern;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ConfigSelectors;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Virtual hosts of many routes, all to one cluster, and requests for them. */
final class Routes {
  private static final int SERVICES = 100;

  private Routes() {}

  /** A request as routing sees it: texts that exist already. */
  record Request(String path, Map<String, String> headers) implements RequestView {
    @Override
    public @Nullable String header(String name) {
      return headers.get(name);
    }
  }

  static ConfigSelector selector(List<Route> routes) {
    ClusterHandle cluster = ClusterHandles.named("orders");
    return new ConfigSelectors("orders", HttpFilters.ofProcess(), false)
        .next(config(routes), Map.of("orders", cluster));
  }

  /** Selects as a call does, and lets go of the cluster. */
  static @Nullable RouteDecision decide(ConfigSelector selector, RequestView request) {
    RouteDecision decision = selector.select(request, RandomSource.SYSTEM);
    if (decision instanceof RouteDecision.Forward forward) {
      forward.cluster().release();
    }
    return decision;
  }

  /**
   * 1,000 routes: 600 exact paths, 99 regular expressions that begin with their service, 300
   * prefixes (every tenth service's under a header matcher), and one for everything else, the last.
   */
  static List<Route> thousand() {
    List<RouteMatch> matches = new ArrayList<>();
    for (int service = 0; service < SERVICES; service++) {
      for (int method = 0; method < 6; method++) {
        matches.add(match(new StringMatcher.Exact(name(service) + "/Method" + method, false)));
      }
    }
    for (int service = 0; service < SERVICES - 1; service++) {
      String regex = name(service).replace(".", "\\.") + "/List\\d+";
      matches.add(match(new StringMatcher.Regex(Pattern.compile(regex))));
    }
    var gold = new HeaderMatcher.Value("x-tenant", new StringMatcher.Exact("gold", false), false);
    for (int service = 0; service < SERVICES; service++) {
      for (String under : List.of("/Batch", "/", "")) {
        var prefix = new StringMatcher.Prefix(name(service) + under, false);
        boolean conditional = service % 10 == 0 && under.equals("/");
        matches.add(conditional ? match(prefix, gold) : match(prefix));
      }
    }
    matches.add(match(new StringMatcher.Prefix("", false)));
    return routes(matches);
  }

  /** Regular expressions that may begin with anything, and after them an exact path. */
  static List<Route> unkeyed(int regexes, String path) {
    List<RouteMatch> matches = new ArrayList<>();
    for (int i = 0; i < regexes; i++) {
      matches.add(match(new StringMatcher.Regex(Pattern.compile(".*/Rare" + i + "\\d+"))));
    }
    matches.add(match(new StringMatcher.Exact(path, false)));
    return routes(matches);
  }

  private static List<Route> routes(List<RouteMatch> matches) {
    var cluster = new ClusterChoice.Single("orders");
    var action = new RouteAction.Forward(cluster, RouteTimeout.UNSET);
    List<Route> routes = new ArrayList<>();
    for (RouteMatch match : matches) {
      routes.add(new Route("", routes.size(), match, action, Map.of()));
    }
    return routes;
  }

  private static String name(int service) {
    return "/shop.v1.Service" + service;
  }

  private static RouteMatch match(StringMatcher path, HeaderMatcher... headers) {
    return new RouteMatch(path, List.of(headers), Optional.empty());
  }

  private static XdsConfig config(List<Route> routes) {
    var host = new VirtualHost("host", List.of("*"), routes, Map.of());
    var table = new RouteTable("routes", List.of(host));
    var listener =
        new ApiListener("orders", new RouteSource.Inline(table), List.of(), Optional.empty());
    return new XdsConfig(listener, table, host, Map.<String, Outcome<ClusterConfig>>of());
  }
}
