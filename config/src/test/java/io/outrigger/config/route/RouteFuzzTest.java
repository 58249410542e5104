package io.outrigger.config.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The index of routes against a scan of them, for routes and paths of any letters. */
final class RouteFuzzTest {
  private static final int MAX_ROUTES = 12;
  private static final int MAX_TEXT = 12;

  @Conformance("A28-04")
  @FuzzTest
  void theIndexIsTheScan(FuzzedDataProvider data) {
    List<Route> routes = new ArrayList<>();
    for (int left = data.consumeInt(0, MAX_ROUTES); left > 0; left--) {
      routes.add(route(routes.size(), data));
    }
    RouteIndex index = RouteIndex.of(routes);

    while (data.remainingBytes() > 0) {
      String path = data.consumeString(MAX_TEXT);
      var request = RouteIndexProperties.request(path, null);
      assertThat(index.first(path, request, new ScriptedRandom(5), null))
          .as("%s among %s", path, routes)
          .isEqualTo(RouteIndexProperties.scan(routes, path, request, new ScriptedRandom(5)));
    }
  }

  private static Route route(int at, FuzzedDataProvider data) {
    var match = new RouteMatch(matcher(data), List.of(), Optional.empty());
    return new Route("", at, match, new RouteAction.Unsupported("test"), Map.of());
  }

  private static PathMatcher matcher(FuzzedDataProvider data) {
    int kind = data.consumeInt(0, 2);
    boolean caseSensitive = data.consumeBoolean();
    String text = data.consumeString(MAX_TEXT);
    if (kind == 2) {
      try {
        return new PathMatcher.Regex(Pattern.compile(text));
      } catch (PatternSyntaxException e) {
        kind = 0;
      }
    }
    return kind == 0
        ? new PathMatcher.Exact(text, caseSensitive)
        : new PathMatcher.Prefix(text, caseSensitive);
  }
}
