package io.outrigger.config.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import io.outrigger.base.RandomSource;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** The index gives what a scan from the first route to the last gives, draw for draw. */
class RouteIndexProperties {
  /** Few letters, so that texts meet: both cases, the odd ones that fold to ASCII, a pair. */
  private static final List<String> LETTERS =
      List.of(
          "a",
          "A",
          "b",
          "/",
          ".",
          "k",
          "\u212a",
          "s",
          "\u017f",
          "\u00e9",
          "\u00c9",
          "\ud801\udc28");

  @Conformance("A28-04")
  @Property(tries = 3000, seed = "20260101")
  void theIndexIsTheScan(
      @ForAll("routes") List<Route> routes, @ForAll("paths") List<String> paths) {
    RouteIndex index = RouteIndex.of(routes);
    var scanned = new ScriptedRandom(5);
    var indexed = new ScriptedRandom(5);

    for (String path : paths) {
      for (String header : new String[] {null, "yes"}) {
        assertThat(index.first(path, request(path, header), indexed, null))
            .as("%s among %s", path, routes)
            .isEqualTo(scan(routes, path, request(path, header), scanned));
      }
    }
  }

  @Property(tries = 2000, seed = "20260101")
  void aKeyBeginsEveryPathThatItsMatcherAccepts(
      @ForAll("matchers") PathMatcher matcher, @ForAll("paths") List<String> paths) {
    String key = RouteKey.of(matcher);

    for (String path : paths) {
      if (matcher.matches(path)) {
        assertThat(folded(path)).startsWith(key);
      }
    }
  }

  static int scan(List<Route> routes, String path, RequestView request, RandomSource random) {
    for (int i = 0; i < routes.size(); i++) {
      if (routes.get(i).match().miss(path, request, random) == RouteMatch.NO_MISS) {
        return i;
      }
    }
    return RouteIndex.NONE;
  }

  private static String folded(String text) {
    var folded = new StringBuilder();
    text.chars().forEach(c -> folded.append(RouteKey.fold((char) c)));
    return folded.toString();
  }

  @Provide
  Arbitrary<List<Route>> routes() {
    return routeMatches()
        .list()
        .ofMaxSize(40)
        .map(
            matches -> {
              List<Route> routes = new ArrayList<>();
              for (RouteMatch match : matches) {
                var action = new RouteAction.Unsupported("test");
                routes.add(new Route("", routes.size(), match, action, Map.of()));
              }
              return routes;
            });
  }

  private Arbitrary<RouteMatch> routeMatches() {
    HeaderMatcher present = new HeaderMatcher.Present("h", true);
    HeaderMatcher absent = new HeaderMatcher.Present("h", false);
    return Combinators.combine(
            matchers(),
            Arbitraries.<List<HeaderMatcher>>of(
                List.of(), List.of(), List.of(present), List.of(absent)),
            Arbitraries.<Optional<Fraction>>of(
                Optional.empty(), Optional.empty(), Optional.of(new Fraction(50, 100))))
        .as(RouteMatch::new);
  }

  @Provide
  Arbitrary<PathMatcher> matchers() {
    Arbitrary<Boolean> caseSensitive = Arbitraries.of(true, false);
    return Arbitraries.oneOf(
        Combinators.combine(texts(), caseSensitive).as(PathMatcher.Exact::new),
        Combinators.combine(texts(), caseSensitive).as(PathMatcher.Prefix::new),
        regexes().map(regex -> new PathMatcher.Regex(Pattern.compile(regex))));
  }

  /** Literals with an operator somewhere: before, within and behind, alternatives, flags. */
  private Arbitrary<String> regexes() {
    Arbitrary<String> operators =
        Arbitraries.of(
            ".*",
            "a?",
            "a*",
            "a+",
            "a{0,2}",
            "[ab]+",
            "(a|b)",
            "|",
            "(?i)",
            "\\w*",
            "^",
            "$",
            "\\Qa.b\\E",
            "\\.",
            "b+?",
            "(?:ab)?");
    return Combinators.combine(texts(), operators, texts())
        .as((before, operator, after) -> quoted(before) + operator + quoted(after));
  }

  private static String quoted(String text) {
    return text.replace(".", "\\.");
  }

  @Provide
  Arbitrary<List<String>> paths() {
    return texts().list().ofMinSize(1).ofMaxSize(20);
  }

  private static Arbitrary<String> texts() {
    return Arbitraries.of(LETTERS).list().ofMaxSize(5).map(letters -> String.join("", letters));
  }

  static RequestView request(String path, @Nullable String header) {
    return new RequestView() {
      @Override
      public String path() {
        return path.toLowerCase(Locale.ROOT);
      }

      @Override
      public @Nullable String header(String name) {
        return header;
      }
    };
  }
}
