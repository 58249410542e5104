package io.outrigger.xds.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.Shape;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** resolv.conf(5), option by option. */
class ResolvConfTest {
  private static ResolvConf parse(String text) {
    return ResolvConf.parse(text, Map.of(), "", 53);
  }

  private static List<String> servers(ResolvConf conf) {
    return conf.servers().stream().map(server -> server.getAddress().getHostAddress()).toList();
  }

  @Conformance("KN-10")
  @Test
  void aFileOfKubernetes() {
    ResolvConf conf =
        parse(
            """
            search shop.svc.cluster.local svc.cluster.local cluster.local
            nameserver 10.96.0.10
            options ndots:5
            """);

    assertThat(servers(conf)).containsExactly("10.96.0.10");
    assertThat(conf.servers().get(0).getPort()).isEqualTo(53);
    assertThat(conf.ndots()).isEqualTo(5);
    assertThat(conf.timeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(conf.attempts()).isEqualTo(2);
    assertThat(conf.candidates("orders"))
        .containsExactly(
            "orders.shop.svc.cluster.local",
            "orders.svc.cluster.local",
            "orders.cluster.local",
            "orders");
    assertThat(conf.candidates("orders.shop.svc.cluster.local."))
        .containsExactly("orders.shop.svc.cluster.local.");
  }

  @Conformance("KN-10")
  @Test
  void commentsBrokenLinesAndMoreThanThreeServersAreLeftOut() {
    ResolvConf conf =
        parse(
            """
            # made by hand
            ; nameserver 10.0.0.9
             nameserver 10.0.0.8
            nameserver
            nameserver dns.example
            nameserver 10.0.0.1
            nameserver\t2001:db8::1  # a comment is no other address
            sortlist 130.155.160.0/255.255.240.0
            nameserver 10.0.0.3
            nameserver 10.0.0.4
            lookup file bind
            """);

    assertThat(servers(conf)).containsExactly("10.0.0.1", "2001:db8:0:0:0:0:0:1", "10.0.0.3");
  }

  @Conformance("KN-10")
  @Test
  void anEmptyFileMeansTheServerOfThisMachineAndItsDomain() {
    ResolvConf conf = ResolvConf.parse("", Map.of(), "host.shop.example\n", 53);

    assertThat(servers(conf)).containsExactly("127.0.0.1");
    assertThat(conf.search()).containsExactly("shop.example");
    assertThat(ResolvConf.parse("", Map.of(), "host", 53).search()).isEmpty();
  }

  @Conformance("KN-10")
  @ParameterizedTest(name = "{0} -> ndots {1}, timeout {2} s, attempts {3}")
  @CsvSource({
    "options,                             1, 5, 2",
    "options ndots:0,                     0, 5, 2",
    "options ndots:16,                   15, 5, 2",
    "options timeout:1 attempts:3,        1, 1, 3",
    "options timeout:0 attempts:0,        1, 1, 1",
    "options timeout:31 attempts:6,       1, 30, 5",
    "options timeout:x attempts:-1 ndots:, 1, 5, 2",
    "options timeout:99999999999,         1, 5, 2",
    "options timeout:2 timeout:3,         1, 3, 2",
  })
  void numbersHaveLimits(String line, int ndots, int timeout, int attempts) {
    ResolvConf conf = parse("nameserver 10.0.0.1\n" + line);

    assertThat(conf.ndots()).isEqualTo(ndots);
    assertThat(conf.timeout()).isEqualTo(Duration.ofSeconds(timeout));
    assertThat(conf.attempts()).isEqualTo(attempts);
  }

  @Conformance("KN-10")
  @Test
  void optionsOfSeveralLinesAddUpAndTheLastSearchOrDomainCounts() {
    ResolvConf conf =
        parse(
            """
            search a.example b.example
            options rotate
            domain c.example d.example
            options use-vc no-aaaa edns0 trust-ad
            """);

    assertThat(conf.search()).containsExactly("c.example");
    assertThat(conf.has("rotate")).isTrue();
    assertThat(conf.has("use-vc")).isTrue();
    assertThat(conf.has("single-request")).isFalse();
    assertThat(parse("domain c.example\nsearch a.example .\n").search())
        .containsExactly("a.example", ".");
  }

  @Conformance("KN-10")
  @Test
  void theEnvironmentWinsOverTheFile() {
    ResolvConf conf =
        ResolvConf.parse(
            "search a.example\noptions timeout:9 ndots:2",
            Map.of("LOCALDOMAIN", "x.example y.example", "RES_OPTIONS", "timeout:1 rotate"),
            "",
            53);

    assertThat(conf.search()).containsExactly("x.example", "y.example");
    assertThat(conf.timeout()).isEqualTo(Duration.ofSeconds(1));
    assertThat(conf.ndots()).isEqualTo(2);
    assertThat(conf.has("rotate")).isTrue();
  }

  @Conformance("KN-10")
  @ParameterizedTest(name = "{0} with ndots {1} -> {2}")
  @CsvSource({
    "pay,        1, pay.a.example pay.b.example pay",
    "pay.shop,   1, pay.shop pay.shop.a.example pay.shop.b.example",
    "pay.shop,   2, pay.shop.a.example pay.shop.b.example pay.shop",
    "pay,        0, pay pay.a.example pay.b.example",
    "pay.,       1, pay.",
    "zürich,     1, xn--zrich-kva.a.example xn--zrich-kva.b.example xn--zrich-kva",
    "a..b,       1, ''",
    "'a b',      1, ''",
    "'',         1, ''",
  })
  void namesAreSearchedByTheirDots(String host, int ndots, String expected) {
    ResolvConf conf = parse("search a.example b.example\noptions ndots:" + ndots);

    assertThat(conf.candidates(host))
        .isEqualTo(Arrays.stream(expected.split(" ")).filter(it -> !it.isEmpty()).toList());
  }

  /** The root in the search list is the name itself at that place. */
  @Conformance("KN-10")
  @ParameterizedTest(name = "search {0}, {1}: {2} -> {3}")
  @CsvSource({
    "a.example . b.example, ndots:1,              pay,      pay.a.example pay pay.b.example",
    "a.example . b.example, ndots:1,              pay.shop, pay.shop pay.shop.a.example"
        + " pay.shop.b.example",
    "a.example,             no-tld-query,         pay,      pay.a.example",
    "a.example,             no-tld-query ndots:0, pay,      pay pay.a.example",
    "a.example,             no-tld-query ndots:2, pay.shop, pay.shop.a.example pay.shop",
    "'',                    no-tld-query,         pay,      pay",
  })
  void theRootMayBeSearchedOrLeftOut(String search, String options, String host, String expected) {
    ResolvConf conf = parse("search " + search + "\noptions " + options);

    assertThat(conf.candidates(host)).containsExactly(expected.split(" "));
  }

  @Conformance("KN-10")
  @Test
  void anyBytesAreSettings() {
    ForeignBytes.check(
        ForeignBytes.Case.ofText(
            "resolv.conf",
            Void.class,
            bytes -> {
              String text = new String(bytes, StandardCharsets.ISO_8859_1);
              ResolvConf conf = ResolvConf.parse(text, Map.of("RES_OPTIONS", text), text, 53);
              assertThat(conf.servers()).isNotEmpty();
              assertThat(conf.candidates("pay.shop")).doesNotContain("");
              assertThat(parse("search a.example").candidates(text)).doesNotContain("");
            },
            Shape.BYTES,
            """
            search a.example .
            nameserver 10.0.0.1
            options ndots:5 timeout:1 attempts:3 rotate
            """,
            "nameserver fe80::1%lo\ndomain a.example\n"),
        3000);
  }

  @Conformance("KN-10")
  @Test
  void aNameThatIsTooLongWithADomainIsLookedUpWithoutIt() {
    String host = "a".repeat(60) + "." + "b".repeat(60) + "." + "c".repeat(60);
    String domain = "d".repeat(60) + "." + "e".repeat(60);

    assertThat(parse("search " + domain).candidates(host)).containsExactly(host);
    assertThat(parse("search " + domain).candidates("x".repeat(64))).isEmpty();
  }
}
