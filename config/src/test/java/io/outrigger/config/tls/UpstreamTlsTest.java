package io.outrigger.config.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.tls.SubjectAltName.Kind;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UpstreamTlsTest {
  private static final TrustSource ROOTS = new TrustSource.Provider("ROOTCA");

  @Conformance("A29-03")
  @ParameterizedTest(name = "{1} accepts {0}: {2}")
  @CsvSource({
    "dns:pay.example,           exact:pay.example,      true",
    "dns:PAY.example,           exact:pay.EXAMPLE,      true", // domain names have no case
    "dns:pay.example.,          exact:pay.example,      true",
    "dns:pay.example,           exact:pay.example.,     true",
    "dns:*.example,             exact:pay.example,      true",
    "dns:*.Example,             exact:PAY.example,      true",
    "dns:*.example,             exact:a.pay.example,    false", // one label
    "dns:*.example,             exact:example,          false",
    "dns:*.example,             exact:.example,         false", // not an empty one
    "dns:*,                     exact:pay,              false",
    "dns:*.,                    exact:pay,              false",
    "dns:p*.example,            exact:pay.example,      false", // a whole label
    "dns:pay.*.example,         exact:pay.a.example,    false", // the first label
    "dns:*.*.example,           exact:a.b.example,      false",
    "dns:pay.example,           exact:*.example,        false", // wildcards of certificates alone
    "dns:pay.example,           prefix:pay.,            true",
    "dns:PAY.example,           prefix:pay.,            false",
    "dns:PAY.example,           ~prefix:pay.,           true",
    "dns:*.example,             prefix:pay.,            false",
    "dns:pay.example,           suffix:.example,        true",
    "dns:pay.Example,           suffix:.example,        false",
    "dns:pay.Example,           ~suffix:.example,       true",
    "dns:pay.example,           contains:y.e,           true",
    "dns:pay.example,           contains:Y.E,           false",
    "dns:pay.example,           ~contains:Y.E,          true",
    "dns:pay.example,           regex:pay\\..*,         true",
    "dns:xpay.example,          regex:pay\\..*,         false", // the whole name
    "dns:PAY.example,           ~regex:pay\\..*,        false", // A63: ignore_case is not for them
    "uri:spiffe://a/ns/x/sa/y,  exact:spiffe://a/ns/x/sa/y, true",
    "uri:spiffe://A/ns/x/sa/y,  exact:spiffe://a/ns/x/sa/y, false",
    "uri:spiffe://A/ns/x/sa/y,  ~exact:spiffe://a/ns/x/sa/y, true",
    "uri:*.example,             exact:pay.example,      false",
    "uri:spiffe://a/ns/x/sa/y,  prefix:spiffe://a/,     true",
    "email:a@example,           exact:a@example,        true",
    "email:A@example,           exact:a@example,        false",
    "email:*.example,           exact:pay.example,      false",
    "ip:10.0.0.1,               exact:10.0.0.1,         true",
    "ip:2001:db8::1,            exact:2001:db8::1,      true",
    "ip:10.0.0.1,               prefix:10.,             true",
    "ip:10.0.0.1,               dns exact:10.0.0.1,     false",
    "ip:10.0.0.1,               ip exact:10.0.0.1,      true",
    "dns:10.0.0.1,              ip exact:10.0.0.1,      false",
    "uri:pay.example,           dns exact:pay.example,  false",
    "dns:pay.example,           dns exact:pay.example,  true",
    "dns:pay.example,           email suffix:example,   false",
    "dns:pay.example\\0.evil,   prefix:pay.example,     false", // no name has a NUL
    "dns:pay.example\\0.evil,   exact:pay.example,      false",
    "uri:spiffe://a/x\\0y,      prefix:spiffe://a/,     false",
    "dns:pay .example,          prefix:pay,             false",
    "dns:p\u00e4y.example,      prefix:p,               false",
    "dns:,                      exact:,                 false", // an empty name matches nothing
    "uri:,                      exact:,                 false",
    "uri:,                      regex:.*,               false",
  })
  void aNameIsAcceptedByItsMatcher(String name, String matcher, boolean accepted) {
    var tls = tls(matcher(matcher));

    assertThat(tls.objection(List.of(name(name)), Optional.empty()).isEmpty()).isEqualTo(accepted);
  }

  @Test
  @Conformance("A29-03")
  void anyOfTheNamesMayMatchAnyOfTheMatchers() {
    var tls = tls(matcher("exact:a.example"), matcher("uri prefix:spiffe://mesh/"));

    assertThat(tls.objection(names("dns:b.example", "uri:spiffe://mesh/b"), Optional.empty()))
        .isEmpty();
    assertThat(tls.objection(names("dns:b.example", "uri:spiffe://other/b"), Optional.empty()))
        .contains(
            "SAN dns:b.example, uri:spiffe://other/b not accepted; wanted: exactly \"a.example\","
                + " uri with prefix \"spiffe://mesh/\"");
  }

  @Test
  @Conformance("A29-03")
  void withoutMatchersAnyServerOfTheRootsIsAccepted() {
    assertThat(tls().objection(names(), Optional.empty())).isEmpty();
    assertThat(tls().objection(names("dns:x"), Optional.of("y"))).isEmpty();
  }

  @Test
  @Conformance("A29-03")
  void aCertificateWithoutNamesIsAcceptedByNoMatcher() {
    assertThat(tls(matcher("regex:.*")).objection(names(), Optional.empty()))
        .contains("SAN (none) not accepted; wanted: matching regex \".*\"");
  }

  @Test
  void aLongListIsShortenedAndControlsAreShownAsSpaces() {
    var many =
        IntStream.range(0, 9).mapToObj(i -> new SubjectAltName(Kind.DNS, "h" + i + "\n")).toList();

    assertThat(tls(matcher("exact:a")).objection(many, Optional.empty()))
        .contains(
            "SAN dns:h0 , dns:h1 , dns:h2 , dns:h3 , dns:h4 , … (9 in all) not accepted;"
                + " wanted: exactly \"a\"");
  }

  @Conformance({"A101-01", "A29-08"})
  @ParameterizedTest(name = "sni \"{0}\", auto {1}, hostname \"{2}\" -> {3}")
  @CsvSource({
    "'',          false, '',                -",
    "a.example,   false, '',                a.example",
    "a.example,   false, b.example,         a.example",
    "a.example,   true,  b.example,         b.example",
    "a.example,   true,  b.example:443,     b.example",
    "a.example,   true,  b.example.,        b.example",
    "a.example,   true,  '',                a.example",
    "'',          true,  '',                -",
    "'',          true,  b.example,         b.example",
    "'',          true,  10.0.0.1,          -",
    "'',          true,  10.0.0.1:443,      -",
    "'',          true,  2001:db8::1,       -",
    "'',          true,  '[2001:db8::1]:1', -",
    "a.example,   true,  10.0.0.1,          a.example",
    "10.0.0.1,    false, '',                -",
    "::1,         false, '',                -",
    "outbound_.80_._.b.ns.svc, false, '',   outbound_.80_._.b.ns.svc",
    "a.example,   true,  'b c.example',     a.example", // nothing that a host can be named
    "'',          true,  'b\u00e4.example',  -",
  })
  void theServerNameIsTheHostsElseTheClustersAndNeverAnAddress(
      String sni, boolean auto, String hostname, String sent) {
    var tls = new UpstreamTls(Optional.empty(), ROOTS, List.of(), sni, auto, false);

    assertThat(tls.serverName(hostname).orElse("-")).isEqualTo(sent);
  }

  @Conformance({"A101-01", "A29-08"})
  @ParameterizedTest(name = "names {0}, asked for {1}: {2}")
  @CsvSource({
    "dns:b.example,  b.example, true",
    "dns:*.example,  b.example, true",
    "dns:B.Example,  b.example, true",
    "dns:a.example,  b.example, false", // the matchers do not count any more
    "uri:b.example,  b.example, false",
    "dns:a.example,  -,         true", // nothing was asked for: they do
    "dns:b.example,  -,         false",
    "dns:b.example\\0,  b.example, false",
  })
  void theServerNameTakesThePlaceOfTheMatchers(String name, String sent, boolean accepted) {
    var tls =
        new UpstreamTls(
            Optional.empty(), ROOTS, List.of(matcher("exact:a.example")), "", true, true);
    Optional<String> serverName = Optional.of(sent).filter(text -> !text.equals("-"));

    assertThat(tls.objection(names(name), serverName).isEmpty()).isEqualTo(accepted);
  }

  @Test
  @Conformance("A101-01")
  void aHostNameThatIsTooLongForTheExtensionIsNotSent() {
    var tls = new UpstreamTls(Optional.empty(), ROOTS, List.of(), "", true, false);
    String longest = "a.".repeat(127) + "b";

    assertThat(tls.serverName(longest + ":443")).contains(longest);
    assertThat(tls.serverName(longest + "c:443")).isEmpty();
  }

  /** The text would accept any server of the roots; grpc-go refuses, as an operator expects. */
  @Test
  @Conformance("A101-01")
  void aValidationByAServerNameThatCannotBeSentRefuses() {
    var byAddress = new UpstreamTls(Optional.empty(), ROOTS, List.of(), "10.0.0.1", false, true);
    var byHost = new UpstreamTls(Optional.empty(), ROOTS, List.of(), "", true, true);
    var byNothing = new UpstreamTls(Optional.empty(), ROOTS, List.of(), "", false, true);

    assertThat(byAddress.serverName("")).isEmpty();
    for (UpstreamTls tls : List.of(byAddress, byHost)) {
      assertThat(tls.objection(names("dns:a.example", "ip:10.0.0.1"), Optional.empty()))
          .contains(
              "SAN not accepted: auto_sni_san_validation compares it with the server name, and no"
                  + " server name was sent (an IP address is none)");
    }
    assertThat(byNothing.objection(names("dns:a.example"), Optional.empty())).isEmpty();
  }

  @Test
  @Conformance("A101-01")
  void theReasonNamesTheServerNameThatWasAskedFor() {
    var tls = new UpstreamTls(Optional.empty(), ROOTS, List.of(), "b.example", false, true);

    assertThat(tls.objection(names("dns:a.example"), Optional.of("b.example")))
        .contains(
            "SAN dns:a.example not accepted; wanted: dns \"b.example\", the requested server name");
  }

  @Test
  void settingsThatSayTheSameAreEqual() {
    assertThat(tls(matcher("regex:a.*"), matcher("exact:b")))
        .isEqualTo(tls(matcher("regex:a.*"), matcher("exact:b")))
        .hasSameHashCodeAs(tls(matcher("regex:a.*"), matcher("exact:b")))
        .isNotEqualTo(tls(matcher("regex:a.+"), matcher("exact:b")));
  }

  private static UpstreamTls tls(SanMatcher... matchers) {
    return new UpstreamTls(Optional.empty(), ROOTS, List.of(matchers), "", false, false);
  }

  private static List<SubjectAltName> names(String... texts) {
    return List.of(texts).stream().map(UpstreamTlsTest::name).toList();
  }

  /** Such as {@code dns:a.example}; {@code \0} is a NUL. */
  private static SubjectAltName name(String text) {
    int colon = text.indexOf(':');
    Kind kind = Kind.valueOf(text.substring(0, colon).toUpperCase(Locale.ROOT));
    return new SubjectAltName(kind, text.substring(colon + 1).replace("\\0", "\0"));
  }

  /** Such as {@code exact:x} for any kind of name, {@code ~exact:x} ignoring case, for one kind. */
  private static SanMatcher matcher(String text) {
    int colon = text.indexOf(':');
    String[] words = text.substring(0, colon).split(" ", -1);
    String how = words[words.length - 1];
    boolean ignoreCase = how.startsWith("~");
    String value = text.substring(colon + 1);
    StringMatcher matcher =
        switch (how.replace("~", "")) {
          case "exact" -> new StringMatcher.Exact(value, ignoreCase);
          case "prefix" -> new StringMatcher.Prefix(value, ignoreCase);
          case "suffix" -> new StringMatcher.Suffix(value, ignoreCase);
          case "contains" -> new StringMatcher.Contains(value, ignoreCase);
          case "regex" -> new StringMatcher.Regex(Pattern.compile(value));
          default -> throw new AssertionError(how);
        };
    return words.length == 1
        ? SanMatcher.ofAnyKind(matcher)
        : new SanMatcher(Optional.of(Kind.valueOf(words[0].toUpperCase(Locale.ROOT))), matcher);
  }
}
