package io.outrigger.oracle;

import com.google.protobuf.BoolValue;
import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.core.v3.RuntimeFractionalPercent;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.config.route.v3.NonForwardingAction;
import io.envoyproxy.envoy.config.route.v3.QueryParameterMatcher;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.envoyproxy.envoy.type.v3.FractionalPercent;
import io.envoyproxy.envoy.type.v3.FractionalPercent.DenominatorType;
import io.envoyproxy.envoy.type.v3.Int64Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Route lists and requests of a small vocabulary, so that they often meet. One seed, one course.
 */
final class RandomRoutes {
  static final List<String> CLUSTERS = List.of("alpha", "beta", "gamma");

  private static final int MAX_ROUTES = 8;
  private static final List<String> PATHS =
      List.of("/pkg.Svc/Get", "/pkg.Svc/GetAll", "/pkg.svc/get", "/pkg.Svc2/Get", "/a.b.C/List");
  private static final List<String> PATH_PATTERNS =
      List.of(
          "/pkg\\.[A-Za-z]+/Get",
          ".*",
          "/.*/(Get|List)",
          "/pkg.Svc/Get.*",
          "Get",
          "(?i)/PKG.SVC/GET",
          "/[^/]+/[a-z]+",
          "^/pkg.*All$");
  private static final List<String> NAMES =
      List.of("x-a", "x-b", "x-n", "X-A", "content-type", "x-c-bin", ":path", "x-never");
  private static final List<String> SENT_NAMES = List.of("x-a", "x-a", "x-b", "x-n", "x-c-bin");
  private static final List<String> VALUES =
      List.of(
          "a",
          "A",
          "ab",
          "b,a",
          "x y",
          "",
          "10",
          "15",
          "-3",
          "+7",
          "007",
          "1e3",
          "9223372036854775807",
          "9223372036854775808",
          "application/grpc");
  private static final List<String> PARTS = List.of("a", "A", "b", "1", "0", "x ", ",", "grpc");
  private static final List<String> PATTERNS = List.of("a|b", ".*a.*", "[0-9]+", "", ".*", "A+");

  /** Ends are no values: gRPC's client counts the end in (docs/extend/proofs.md). */
  private static final List<Long> STARTS = List.of(-10L, 0L, 7L, 10L, Long.MIN_VALUE);

  private static final List<Long> ENDS = List.of(-4L, 1L, 11L, 100L, Long.MAX_VALUE - 1);

  private final Random random;

  RandomRoutes(long seed) {
    random = new Random(seed);
  }

  List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    int count = 1 + random.nextInt(MAX_ROUTES);
    for (int i = 0; i < count; i++) {
      routes.add(route());
    }
    return routes;
  }

  Request request() {
    Request request = Request.of(oneOf(PATHS));
    int headers = random.nextInt(4);
    for (int i = 0; i < headers; i++) {
      request = request.with(oneOf(SENT_NAMES), oneOf(VALUES));
    }
    return request;
  }

  private Route route() {
    var route = Route.newBuilder().setMatch(match());
    return switch (random.nextInt(10)) {
      case 0 -> route.setNonForwardingAction(NonForwardingAction.getDefaultInstance()).build();
      case 1 -> route.setRoute(RouteAction.newBuilder().setClusterHeader("x-a")).build();
      case 2, 3 -> route.setRoute(weighted()).build();
      default -> route.setRoute(RouteAction.newBuilder().setCluster(oneOf(CLUSTERS))).build();
    };
  }

  private RouteAction.Builder weighted() {
    var weighted = WeightedCluster.newBuilder();
    String chosen = oneOf(CLUSTERS);
    for (String cluster : CLUSTERS) {
      weighted.addClusters(
          WeightedCluster.ClusterWeight.newBuilder()
              .setName(cluster)
              .setWeight(UInt32Value.of(cluster.equals(chosen) ? 1 : 0)));
    }
    return RouteAction.newBuilder().setWeightedClusters(weighted);
  }

  private RouteMatch match() {
    var match = RouteMatch.newBuilder();
    switch (random.nextInt(4)) {
      case 0 -> match.setPath(cased(oneOf(PATHS)));
      case 1 -> match.setSafeRegex(regex(oneOf(PATH_PATTERNS)));
      default -> match.setPrefix(cased(somePrefix()));
    }
    // Always given: gRPC's client takes absence for false (docs/extend/proofs.md).
    match.setCaseSensitive(BoolValue.of(random.nextInt(3) > 0));
    int headers = Math.max(0, random.nextInt(4) - 1);
    for (int i = 0; i < headers; i++) {
      match.addHeaders(header());
    }
    if (random.nextInt(5) == 0) {
      match.setRuntimeFraction(
          RuntimeFractionalPercent.newBuilder().setDefaultValue(allOrNothing()));
    }
    if (random.nextInt(12) == 0) {
      match.addQueryParameters(
          QueryParameterMatcher.newBuilder().setName("q").setPresentMatch(true));
    }
    return match.build();
  }

  private String somePrefix() {
    String path = oneOf(PATHS);
    return path.substring(0, random.nextInt(path.length() + 1));
  }

  private String cased(String text) {
    return random.nextInt(4) == 0 ? text.toUpperCase(Locale.ROOT) : text;
  }

  private FractionalPercent allOrNothing() {
    var percent = FractionalPercent.newBuilder();
    return switch (random.nextInt(5)) {
      case 0, 1 -> percent.setNumerator(0).build();
      case 2 -> percent.setNumerator(100).build();
      case 3 -> percent.setNumerator(10_000).setDenominator(DenominatorType.TEN_THOUSAND).build();
      default -> percent.setNumerator(2_000_000).setDenominator(DenominatorType.MILLION).build();
    };
  }

  // The older kinds are deprecated, and still sent.
  @SuppressWarnings("deprecation")
  private HeaderMatcher header() {
    var header = HeaderMatcher.newBuilder().setName(oneOf(NAMES));
    switch (random.nextInt(8)) {
      case 0 -> header.setExactMatch(oneOf(VALUES.subList(0, 5)));
      case 1 -> header.setSafeRegexMatch(regex(oneOf(PATTERNS)));
      case 2 ->
          header.setRangeMatch(Int64Range.newBuilder().setStart(oneOf(STARTS)).setEnd(oneOf(ENDS)));
      case 3 -> header.setPresentMatch(random.nextBoolean());
      case 4 -> header.setPrefixMatch(oneOf(PARTS));
      case 5 -> header.setSuffixMatch(oneOf(PARTS));
      case 6 -> header.setContainsMatch(oneOf(PARTS));
      default -> header.setStringMatch(text());
    }
    return header.setInvertMatch(random.nextInt(3) == 0).build();
  }

  private StringMatcher.Builder text() {
    var text = StringMatcher.newBuilder();
    switch (random.nextInt(5)) {
      case 0 -> text.setExact(oneOf(VALUES));
      case 1 -> text.setPrefix(oneOf(PARTS));
      case 2 -> text.setSuffix(oneOf(PARTS));
      case 3 -> text.setContains(oneOf(PARTS));
      default -> {
        return text.setSafeRegex(regex(oneOf(PATTERNS)));
      }
    }
    return text.setIgnoreCase(random.nextBoolean());
  }

  private static RegexMatcher.Builder regex(String pattern) {
    return RegexMatcher.newBuilder().setRegex(pattern);
  }

  private <T> T oneOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
