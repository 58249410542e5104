package io.outrigger.oracle;

import com.google.protobuf.BoolValue;
import io.envoyproxy.envoy.config.route.v3.HeaderMatcher;
import io.envoyproxy.envoy.config.route.v3.QueryParameterMatcher;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatcher;
import io.envoyproxy.envoy.type.matcher.v3.StringMatcher;
import io.envoyproxy.envoy.type.v3.Int64Range;
import io.outrigger.oracle.Twins.Answers;
import java.util.List;

/** One matcher and one request each, and who says that they match. */
// The older kinds of header matchers are deprecated, and still sent.
@SuppressWarnings("deprecation")
final class RouteCases {
  /** Tells the cases of one route configuration apart. */
  private static final String CASE = "x-case";

  private static final String PATH = "/pkg.Svc/Get";

  /** A row: whether the sidecar and gRPC's client say that {@code match} holds. */
  record Case(String name, RouteMatch match, Request request, boolean outrigger, boolean grpcJava) {
    RouteMatch.Builder match(int index) {
      return match.toBuilder().addHeaders(header(CASE).setExactMatch("" + index));
    }

    Request request(int index) {
      return request.with(CASE, "" + index);
    }

    Answers answers(String matching, String other) {
      return new Answers(outrigger ? matching : other, grpcJava ? matching : other);
    }
  }

  static final List<Case> AGREED =
      List.of(
          path("path", match().setPath(PATH), true),
          path("path of other case", ownCase(match().setPath("/PKG.SVC/GET")), false),
          path("path in any case", anyCase(match().setPath("/PKG.SVC/GET")), true),
          path("path that is a prefix", match().setPath("/pkg.Svc/"), false),
          path("prefix", match().setPrefix("/pkg.Svc/"), true),
          path("prefix of other case", ownCase(match().setPrefix("/PKG")), false),
          path("prefix in any case", anyCase(match().setPrefix("/PKG")), true),
          path("empty prefix", match().setPrefix(""), true),
          path("regex", match().setSafeRegex(regex("/pkg\\..*/G[a-z]t")), true),
          path("regex of a part", match().setSafeRegex(regex("/pkg.Svc")), false),
          path(
              "regex that case does not touch",
              anyCase(match().setSafeRegex(regex("/PKG.*"))),
              false),
          path("query parameters", query(), false),
          header("exact", header("x-a").setExactMatch("a"), true, "x-a", "a"),
          header(
              "exact, two values",
              header("x-a").setExactMatch("a,b"),
              true,
              "x-a",
              "a",
              "x-a",
              "b"),
          header(
              "exact, two values, one of them",
              header("x-a").setExactMatch("a"),
              false,
              "x-a",
              "a",
              "x-a",
              "b"),
          header(
              "exact, inverted",
              header("x-a").setExactMatch("a").setInvertMatch(true),
              true,
              "x-a",
              "b"),
          header(
              "exact, inverted, absent",
              header("x-a").setExactMatch("a").setInvertMatch(true),
              false),
          header("name of other case", header("X-A").setExactMatch("a"), true, "x-a", "a"),
          header("regex header", header("x-a").setSafeRegexMatch(regex("a+")), true, "x-a", "aaa"),
          header(
              "regex header, part",
              header("x-a").setSafeRegexMatch(regex("a+")),
              false,
              "x-a",
              "aab"),
          header(
              "regex header, inverted, absent",
              header("x-a").setSafeRegexMatch(regex("a+")).setInvertMatch(true),
              false),
          header("range, start", range(10, 20, false), true, "x-n", "10"),
          header("range, last", range(10, 20, false), true, "x-n", "19"),
          header("range, past", range(10, 20, false), false, "x-n", "21"),
          header("range, before", range(10, 20, false), false, "x-n", "9"),
          header("range, plus sign", range(10, 20, false), true, "x-n", "+12"),
          header("range, negative", range(-20, -10, false), true, "x-n", "-12"),
          header("range, no number", range(10, 20, false), false, "x-n", "12a"),
          header("range, no number, inverted", range(10, 20, true), true, "x-n", "12a"),
          header("range, absent, inverted", range(10, 20, true), false),
          header(
              "range, beyond 64 bits, inverted",
              range(10, 20, true),
              true,
              "x-n",
              "92233720368547758080"),
          header("present", header("x-a").setPresentMatch(true), true, "x-a", ""),
          header("present, absent", header("x-a").setPresentMatch(true), false),
          header(
              "present, absent, inverted",
              header("x-a").setPresentMatch(true).setInvertMatch(true),
              true),
          header("not present", header("x-a").setPresentMatch(false), true),
          header("not present, there", header("x-a").setPresentMatch(false), false, "x-a", "a"),
          header(
              "not present, inverted, there",
              header("x-a").setPresentMatch(false).setInvertMatch(true),
              true,
              "x-a",
              "a"),
          header("prefix header", header("x-a").setPrefixMatch("ab"), true, "x-a", "abc"),
          header("suffix header", header("x-a").setSuffixMatch("bc"), true, "x-a", "abc"),
          header("contains header", header("x-a").setContainsMatch("b"), true, "x-a", "abc"),
          header(
              "contains, inverted, absent",
              header("x-a").setContainsMatch("b").setInvertMatch(true),
              false),
          header("string", text(StringMatcher.newBuilder().setExact("AbC")), false, "x-a", "abc"),
          header(
              "string in any case",
              text(StringMatcher.newBuilder().setExact("AbC").setIgnoreCase(true)),
              true,
              "x-a",
              "aBc"),
          header(
              "string contains in any case",
              text(StringMatcher.newBuilder().setContains("BC").setIgnoreCase(true)),
              true,
              "x-a",
              "abcd"),
          header(
              "string suffix in any case",
              text(StringMatcher.newBuilder().setSuffix("BC").setIgnoreCase(true)),
              true,
              "x-a",
              "abc"),
          header("binary header", header("x-b-bin").setPresentMatch(true), false, "x-b-bin", "a"),
          header(
              "binary header, not present",
              header("x-b-bin").setPresentMatch(false),
              true,
              "x-b-bin",
              "a"),
          header("pseudo-header", header(":path").setPresentMatch(true), false),
          header("content-type", header("content-type").setExactMatch("application/grpc"), true));

  /** The reasons are in docs/extend/proofs.md. */
  static final List<Case> ACCEPTED =
      List.of(
          differs("range, end", range(10, 20, false), Request.of(PATH, "x-n", "20"), false),
          differs("range, end, inverted", range(10, 20, true), Request.of(PATH, "x-n", "20"), true),
          differs("path of other case", match().setPath("/PKG.SVC/GET"), Request.of(PATH), false),
          differs("te", header("te").setPresentMatch(true), Request.of(PATH), true),
          differs("user-agent", header("user-agent").setPresentMatch(true), Request.of(PATH), true),
          differs(
              "grpc-timeout",
              header("grpc-timeout").setPresentMatch(true),
              Request.of(PATH),
              true));

  private RouteCases() {}

  private static Case path(String name, RouteMatch.Builder match, boolean matches) {
    return new Case(name, match.build(), Request.of(PATH), matches, matches);
  }

  private static Case header(
      String name, HeaderMatcher.Builder header, boolean matches, String... sent) {
    var match = match().setPrefix("/").addHeaders(header).build();
    return new Case(name, match, Request.of(PATH, sent), matches, matches);
  }

  private static Case differs(
      String name, HeaderMatcher.Builder header, Request request, boolean outrigger) {
    return differs(name, match().setPrefix("/").addHeaders(header), request, outrigger);
  }

  private static Case differs(
      String name, RouteMatch.Builder match, Request request, boolean outrigger) {
    return new Case(name, match.build(), request, outrigger, !outrigger);
  }

  private static RouteMatch.Builder match() {
    return RouteMatch.newBuilder();
  }

  private static RouteMatch.Builder ownCase(RouteMatch.Builder match) {
    return match.setCaseSensitive(BoolValue.of(true));
  }

  private static RouteMatch.Builder anyCase(RouteMatch.Builder match) {
    return match.setCaseSensitive(BoolValue.of(false));
  }

  private static RouteMatch.Builder query() {
    return match()
        .setPrefix("/")
        .addQueryParameters(QueryParameterMatcher.newBuilder().setName("q").setPresentMatch(false));
  }

  private static HeaderMatcher.Builder header(String name) {
    return HeaderMatcher.newBuilder().setName(name);
  }

  private static HeaderMatcher.Builder range(long start, long end, boolean invert) {
    return header("x-n")
        .setRangeMatch(Int64Range.newBuilder().setStart(start).setEnd(end))
        .setInvertMatch(invert);
  }

  private static HeaderMatcher.Builder text(StringMatcher.Builder matcher) {
    return header("x-a").setStringMatch(matcher);
  }

  private static RegexMatcher.Builder regex(String pattern) {
    return RegexMatcher.newBuilder().setRegex(pattern);
  }
}
