package io.outrigger.config.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTableTest {
  @Conformance("A28-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "foo.bar.com, foo.bar.com",
    "FOO.Bar.com, foo.bar.com",
    "x.bar.com, *.bar.com",
    "x.y.bar.com, *.bar.com",
    "a.com, *.com",
    "foo.net, foo.*",
    "foo.bar.net, foo.bar.*",
    "other, *",
  })
  void theBestDomainWins(String authority, String domain) {
    var table =
        table("*", "foo.*", "foo.bar.*", "*.com", "*.bar.com", "foo.bar.com", "a.*.b", "**");

    assertThat(table.virtualHostFor(authority))
        .hasValueSatisfying(host -> assertThat(host.name()).isEqualTo(domain));
  }

  @Conformance("A28-01")
  @Test
  void noDomainMeansNoVirtualHost() {
    assertThat(table("orders", "*.com").virtualHostFor("payments")).isEmpty();
  }

  @Conformance("A28-01")
  @ParameterizedTest
  @CsvSource({"*foo, foo", "foo*, foo"})
  void aStarStandsForAtLeastOneLetter(String pattern, String authority) {
    assertThat(table(pattern).virtualHostFor(authority)).isEmpty();
    assertThat(table(pattern, "*").virtualHostFor(authority))
        .hasValueSatisfying(host -> assertThat(host.name()).isEqualTo("*"));
  }

  @Conformance("A28-01")
  @ParameterizedTest
  @ValueSource(strings = {"orders", "*.orders", "orders.*", "*"})
  void theFirstOfTwoHostsHasADomainThatBothName(String domain) {
    var first = new VirtualHost("first", List.of(domain), List.of(), Map.of());
    var second = new VirtualHost("second", List.of(domain), List.of(), Map.of());

    assertThat(
            new RouteTable("rc", List.of(first, second)).virtualHostFor(domain.replace('*', 'x')))
        .contains(first);
  }

  @Conformance("A28-02")
  @ParameterizedTest
  @CsvSource({"a.*.b, a.x.b", "**, anything", "*a*, bab", "f*o, foo"})
  void malformedPatternsMatchNothing(String pattern, String authority) {
    assertThat(table(pattern).virtualHostFor(authority)).isEmpty();
  }

  @Conformance("A28-01")
  @ParameterizedTest
  @CsvSource({"*foo, foo", "foo*, foo"})
  void theStarOfAPatternStandsForAtLeastOneCharacter(String pattern, String authority) {
    assertThat(table(pattern).virtualHostFor(authority)).isEmpty();
    assertThat(table(pattern).virtualHostFor(pattern.replace('*', 'x'))).isPresent();
  }

  @Conformance("A28-01")
  @ParameterizedTest
  @CsvSource({"foo, foo", "*foo, xfoo", "foo*, foox", "*, foo"})
  void theFirstHostOfADomainHasIt(String domain, String authority) {
    var table =
        new RouteTable(
            "rc",
            List.of(
                new VirtualHost("first", List.of(domain), List.of(), Map.of()),
                new VirtualHost("second", List.of(domain), List.of(), Map.of())));

    assertThat(table.virtualHostFor(authority).orElseThrow().name()).isEqualTo("first");
  }

  private static RouteTable table(String... domains) {
    return new RouteTable(
        "rc",
        List.of(domains).stream()
            .map(domain -> new VirtualHost(domain, List.of(domain), List.of(), Map.of()))
            .toList());
  }
}
