package io.outrigger.dataplane.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Fault;
import io.outrigger.config.route.Fraction;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilterChainTest {
  private static final HttpFilter ROUTER = new HttpFilter("router", new FilterConfig.Router());
  private static final HttpFilters FILTERS = HttpFilters.ofProcess();
  private static final FilterConfig DISABLED = new FilterConfig.Disabled();

  /** Each level aborts with a different code; {@code -} is a level without an override. */
  @Conformance({"A33-07", "A39-03"})
  @ParameterizedTest(name = "cluster {0}, route {1}, host {2}, listener {3} -> {4}")
  @CsvSource({
    "1,   2,   3,   4, 1",
    "-,   2,   3,   4, 2",
    "-,   -,   3,   4, 3",
    "-,   -,   -,   4, 4",
    "1,   -,   -,   4, 1",
    "off, 2,   3,   4, -",
    "-,   off, 3,   4, -",
    "2,   off, off, 4, 2",
  })
  void theMostSpecificConfigurationIsTaken(
      String cluster, String route, String host, String listener, String expected) {
    var filter = new HttpFilter("fault", config(listener).orElseThrow());

    var chain =
        FILTERS.chain(List.of(filter, ROUTER), List.of(level(cluster), level(route), level(host)));

    assertThat(aborts(chain)).isEqualTo(expected);
  }

  private static Map<String, FilterConfig> level(String text) {
    return config(text).map(config -> Map.of("fault", config)).orElse(Map.of());
  }

  private static Optional<FilterConfig> config(String text) {
    return switch (text) {
      case "-" -> Optional.empty();
      case "off" -> Optional.of(DISABLED);
      default -> Optional.of(abort(Integer.parseInt(text)));
    };
  }

  @Test
  void anOverrideReplacesTheWholeConfiguration() {
    var limited = new Fault(Optional.empty(), always(5), Optional.of(0L));
    var filter = new HttpFilter("fault", limited);

    var chain = FILTERS.chain(List.of(filter, ROUTER), List.of(Map.of("fault", abort(7))));

    assertThat(aborts(chain)).isEqualTo("7");
  }

  @Test
  void overridesGoByTheNameOfTheInstance() {
    var chain =
        FILTERS.chain(
            List.of(new HttpFilter("one", abort(1)), new HttpFilter("two", abort(2)), ROUTER),
            List.of(Map.of("one", DISABLED, "three", abort(3))));

    assertThat(aborts(chain)).isEqualTo("2");
  }

  @Test
  void anOverrideForAnotherKindOfFilterSaysNothing() {
    var chain =
        FILTERS.chain(
            List.of(new HttpFilter("fault", abort(1)), ROUTER),
            List.of(Map.of("fault", new FilterConfig.Router(), "router", abort(2))));

    assertThat(aborts(chain)).isEqualTo("1");
  }

  @Test
  void aChainThatCanDoNothingIsNone() {
    var idle = new Fault(Optional.empty(), Optional.empty(), Optional.of(3L));
    var never = new Fault(Optional.empty(), share(1, 0), Optional.empty());

    assertThat(FILTERS.chain(List.of(ROUTER), List.of()).isEmpty()).isTrue();
    assertThat(
            FILTERS.chain(
                List.of(new HttpFilter("idle", idle), new HttpFilter("never", never), ROUTER),
                List.of(Map.of())))
        .isEqualTo(new FilterChain(List.of()));
  }

  /**
   * Each level has a different cookie; {@code -} is a level without an override, {@code off} is a
   * disabled filter (A55).
   */
  @Conformance("A55-11")
  @ParameterizedTest(name = "cluster {0}, route {1}, host {2}, listener {3} -> {4}")
  @CsvSource({
    "-,   -,        -,   d, d",
    "-,   -,        -,   -, -",
    "a,   b,        c,   d, a",
    "-,   b,        c,   d, b",
    "-,   -,        c,   -, c",
    "off, b,        c,   d, -",
    "-,   off,      -,   d, -",
    "a,   off,      -,   d, a",
    "-,   disabled, c,   d, -",
  })
  void theMostSpecificSessionIsKept(
      String cluster, String route, String host, String listener, String expected) {
    var filter = new HttpFilter("s", session(listener).orElse(FilterConfig.StatefulSession.OFF));

    var chain =
        FILTERS.chain(
            List.of(filter, ROUTER),
            List.of(sessionLevel(cluster), sessionLevel(route), sessionLevel(host)));

    assertThat(cookie(chain)).isEqualTo(expected);
    assertThat(chain.isEmpty()).isEqualTo(expected.equals("-"));
  }

  @Test
  void theFirstSessionWhoseCookieCoversThePathIsTheRequests() {
    var chain =
        FILTERS.chain(
            List.of(
                new HttpFilter("one", session("other", "/other")),
                new HttpFilter("two", session("mine", "/pkg.Svc")),
                new HttpFilter("three", session("late", "/")),
                ROUTER),
            List.of());

    assertThat(cookie(chain)).isEqualTo("mine");
  }

  private static Map<String, FilterConfig> sessionLevel(String text) {
    return session(text).map(config -> Map.of("s", config)).orElse(Map.of());
  }

  private static Optional<FilterConfig> session(String text) {
    return switch (text) {
      case "-" -> Optional.empty();
      case "off" -> Optional.of(FilterConfig.StatefulSession.OFF);
      case "disabled" -> Optional.of(DISABLED);
      default -> Optional.of(session(text, ""));
    };
  }

  private static FilterConfig session(String cookie, String path) {
    return new FilterConfig.StatefulSession(
        Optional.of(new FilterConfig.SessionCookie(cookie, path, Duration.ZERO)));
  }

  /** The name of the cookie that a response would set; {@code -} for none. */
  private static String cookie(FilterChain chain) {
    var call = new FakeFilteredCall();
    FilterChain.Pass pass = chain.begin(call);
    assertThat(pass.next()).isEqualTo(FilterStep.PROCEED);
    List<String> added = new ArrayList<>();
    if (call.session() != null) {
      call.session().picked(List.of(new EndpointAddress("10.0.0.1", 80)));
    }
    pass.onResponse((name, value) -> added.add(name + "=" + value));
    assertThat(added).hasSizeLessThanOrEqualTo(1);
    if (added.isEmpty()) {
      return "-";
    }
    String cookie = added.get(0).substring("set-cookie=".length());
    return cookie.substring(0, cookie.indexOf('='));
  }

  @Conformance("A31-43")
  @Test
  void filtersActInTheirOrder() {
    List<HttpFilter> filters = new ArrayList<>(List.of(new HttpFilter("a", abort(3))));
    filters.add(new HttpFilter("b", abort(4)));
    filters.add(ROUTER);

    assertThat(aborts(FILTERS.chain(filters, List.of()))).isEqualTo("3");
    assertThat(aborts(FILTERS.chain(filters, List.of(Map.of("a", DISABLED))))).isEqualTo("4");
  }

  private static Fault abort(int code) {
    return new Fault(Optional.empty(), always(code), Optional.empty());
  }

  private static Optional<Abort> always(int code) {
    return share(code, 100);
  }

  private static Optional<Abort> share(int code, int percent) {
    return Optional.of(new Abort(Optional.of(code), Optional.empty(), new Fraction(percent, 100)));
  }

  /** The code with which a request is aborted; {@code -} if the request is not aborted. */
  private static String aborts(FilterChain chain) {
    FilterChain.Pass pass = chain.begin(new FakeFilteredCall());
    return pass.next() instanceof FilterStep.Answer answer
        ? Integer.toString(answer.status().code().number())
        : "-";
  }
}
