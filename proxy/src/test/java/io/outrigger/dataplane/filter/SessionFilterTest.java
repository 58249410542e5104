package io.outrigger.dataplane.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.FilterConfig.SessionCookie;
import io.outrigger.config.route.FilterConfig.StatefulSession;
import io.outrigger.config.route.RequestView;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionFilterTest {
  private static final EndpointAddress ONE = new EndpointAddress("10.0.0.1", 80);
  private static final EndpointAddress TWO = new EndpointAddress("10.0.0.2", 80);
  private static final String ONE_IN_PAY = new SessionFilter.Value(List.of(ONE), "pay").encode();
  private static final String ONE_ALONE = "MTAuMC4wLjE6ODA="; // 10.0.0.1:80

  private final SessionFilter filter = filter("sid", "", Duration.ZERO);

  /** RFC 6265 section 5.1.4. */
  @Conformance("A55-02")
  @ParameterizedTest(name = "cookie path {0}, request {1} -> {2}")
  @CsvSource({
    "'',       /pkg.Svc/Call,        true",
    "/,        /pkg.Svc/Call,        true",
    "/pkg.Svc, /pkg.Svc/Call,        true",
    "/pkg.Svc, /pkg.Svc,             true",
    "/pkg.Svc, /pkg.Svc?x=1,         true",
    "/pkg.Svc, /pkg.Svc2/Call,       false",
    "/pkg.Svc, /pkg.Sv,              false",
    "/pkg.Svc, /other,               false",
    "/pkg.Svc, /x?p=/pkg.Svc,        false",
    "/a/,      /a/b,                 true",
    "/a/,      /a,                   false",
    "/a/b,     /a?/b,                false",
  })
  void theCookiesPathMustCoverTheRequest(String path, String request, boolean covered) {
    SessionFilter.Session session =
        filter("sid", path, Duration.ZERO).begin(new Request(request, null));

    assertThat(session != null).isEqualTo(covered);
  }

  @Conformance({"A55-03", "SC-41"})
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "-                                  | none",
        "''                                 | none",
        "sid=MTAuMC4wLjE6ODA=               | 10.0.0.1:80",
        "a=b; sid=MTAuMC4wLjE6ODA=; c=d     | 10.0.0.1:80",
        "a=b;\tsid=MTAuMC4wLjE6ODA= ;c      | 10.0.0.1:80",
        "sid=MTAuMC4wLjE6ODA=; sid=MTAuMC4wLjI6ODA= | 10.0.0.1:80",
        "sid=; sid=MTAuMC4wLjI6ODA=         | none",
        "sid=%%%; sid=MTAuMC4wLjI6ODA=      | none",
        "sid=\"MTAuMC4wLjE6ODA=\"           | 10.0.0.1:80",
        "sid2=MTAuMC4wLjE6ODA=              | none",
        "xsid=MTAuMC4wLjE6ODA=              | none",
        "SID=MTAuMC4wLjE6ODA=               | none",
        "sid                                | none",
        ";;; = ;sid=MTAuMC4wLjE6ODA=        | 10.0.0.1:80",
      })
  void theFirstCookieOfTheNameCounts(@Nullable String cookies, String address) {
    SessionFilter.Session session = begin(filter, cookies);

    assertThat(session.preferred().stream().map(EndpointAddress::toString).toList())
        .isEqualTo(address.equals("none") ? List.of() : List.of(address));
  }

  /** The client's cookie, the endpoint of the call, and the cookie that the response sets. */
  @Conformance({"A55-05", "A55-06", "A55-07"})
  @Test
  void aCookieIsSetUnlessTheClientHasTheSame() {
    assertThat(answer("sid=" + ONE_IN_PAY, "pay", ONE)).isEmpty();
    assertThat(answer("sid=" + ONE_IN_PAY, "pay", TWO)).startsWith("sid=");
    assertThat(answer("sid=" + ONE_IN_PAY, "other", ONE)).startsWith("sid=");
    assertThat(answer("sid=" + ONE_IN_PAY, "pay", ONE, TWO)).startsWith("sid=");
    assertThat(answer("sid=" + ONE_ALONE, "pay", ONE)).startsWith("sid=" + ONE_IN_PAY);
    assertThat(answer("sid=nonsense!", "pay", ONE)).startsWith("sid=" + ONE_IN_PAY);
    assertThat(answer(null, "pay", ONE)).startsWith("sid=" + ONE_IN_PAY);
  }

  @Conformance("A55-10")
  @Test
  void withoutAPickNoCookieIsSet() {
    assertThat(begin(filter, null).setCookie("pay")).isEmpty();
    assertThat(begin(filter, "sid=" + ONE_IN_PAY).setCookie("pay")).isEmpty();
  }

  @Conformance("A55-12")
  @Test
  void theLastPickIsTheOneNamed() {
    SessionFilter.Session session = begin(filter, null);
    session.picked(List.of(ONE));
    session.picked(List.of(TWO));

    assertThat(session.setCookie("pay"))
        .contains("sid=" + new SessionFilter.Value(List.of(TWO), "pay").encode() + "; HttpOnly");
  }

  @Conformance("A55-08")
  @ParameterizedTest(name = "path {0}, ttl {1} -> {2}")
  @CsvSource({
    "'',   PT0S,       ; HttpOnly",
    "/p/m, PT0S,       ; HttpOnly; Path=/p/m",
    "'',   PT2M,       ; HttpOnly; Max-Age=120",
    "/,    PT2M0.9S,   ; HttpOnly; Path=/; Max-Age=120",
    "'',   PT0.2S,     ; HttpOnly; Max-Age=1",
  })
  void theCookieHasTheAttributesThatAreDue(String path, Duration ttl, String attributes) {
    SessionFilter.Session session =
        Objects.requireNonNull(filter("sid", path, ttl).begin(new Request("/p/m", null)));
    session.picked(List.of(ONE));

    assertThat(session.setCookie("pay")).contains("sid=" + ONE_IN_PAY + attributes);
  }

  @Conformance({"A55-04", "A55-06"})
  @ParameterizedTest(name = "{0} of {1} -> {2}")
  @CsvSource({
    "pay,         'pay canary',          pay",
    "pay,         'canary',              ''",
    "cluster:pay, 'pay canary',          pay",
    "cluster:pay, 'cluster:pay pay',     cluster:pay",
    "'',          'pay',                 ''",
  })
  void theCookiesClusterCountsIfTheRouteHasIt(String named, String clusters, String expected) {
    String value = new SessionFilter.Value(List.of(ONE), named).encode();

    assertThat(begin(filter, "sid=" + value).cluster(Set.of(clusters.split(" "))))
        .isEqualTo(expected);
  }

  private static SessionFilter filter(String name, String path, Duration ttl) {
    return SessionFilter.of(new StatefulSession(Optional.of(new SessionCookie(name, path, ttl))))
        .orElseThrow();
  }

  private static SessionFilter.Session begin(SessionFilter filter, @Nullable String cookies) {
    return Objects.requireNonNull(filter.begin(new Request("/pkg.Svc/Call", cookies)));
  }

  private String answer(@Nullable String cookies, String cluster, EndpointAddress... used) {
    SessionFilter.Session session = begin(filter, cookies);
    session.picked(List.of(used));
    return session.setCookie(cluster).orElse("");
  }

  private record Request(String path, @Nullable String cookies) implements RequestView {
    @Override
    public @Nullable String header(String name) {
      return name.equals("cookie") ? cookies : null;
    }
  }
}
