package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.ROUTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Xxh64;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.WireText;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HashPolicyDecoderTest {
  @Conformance("A42-07")
  @Test
  void headersAndTheChannelAreKeptInOrderAndOtherKindsSkipped() {
    assertThat(
            policies(
                "{cookie: {name: c}, terminal: true}",
                "{header: {header_name: X-User}}",
                "{connection_properties: {source_ip: true}}",
                "{filter_state: {key: other}}",
                "{filter_state: {key: io.grpc.channel_id}, terminal: true}",
                "{query_parameter: {name: q}}",
                "{}"))
        .containsExactly(
            new HashPolicy.Header("x-user", Optional.empty(), false),
            new HashPolicy.ChannelId(true));
  }

  @Conformance("A42-07")
  @ParameterizedTest(name = "{0} by {1} of {2}: {3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "'user-(\\\\d+)-.*'   | '\\\\1'          | user-17-x | 17",
        "'(a)(b)'             | '\\\\2\\\\1\\\\0' | xabab     | xbaabbaab",
        "'b'                  | '$1\\\\\\\\c0'   | abc       | a$1\\c0c",
        "'(b)'                | '\\\\10'         | abc       | ab0c",
        "'b'                  | ''               | abcb      | ac",
      })
  void aValueMayBeRewritten(String regex, String substitution, String value, String rewritten) {
    List<HashPolicy> policies = policies(rewrite(regex, substitution));

    assertThat(HashPolicy.hash(policies, header(value), 0)).isEqualTo(Xxh64.hash(rewritten));
  }

  @Conformance("A42-07")
  @Test
  void aRewriteReadsAndWritesCharactersNotBytes() {
    List<HashPolicy> policies = policies(rewrite("(.)ß", "ü\\\\1"));
    String wire = WireText.of("größe");

    assertThat(HashPolicy.hash(policies, header(wire), 0)).isEqualTo(Xxh64.hash("grüöe"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"\\\\2", "a\\\\", "\\\\x"})
  void aRewriteThatMeansNothingLeavesTheValue(String substitution) {
    List<HashPolicy> policies = policies(rewrite("(a)", substitution));

    assertThat(HashPolicy.hash(policies, header("bab"), 0)).isEqualTo(Xxh64.hash("bab"));
  }

  @Test
  void aRewriteNeedsALegalPattern() {
    assertThat(Decoding.errors(ROUTE, routes(rewrite("(", "x"))))
        .singleElement()
        .asString()
        .contains("hash_policy[0].header.regex_rewrite.pattern.regex: invalid RE2 expression");
  }

  private static String rewrite(String regex, String substitution) {
    return "{header: {header_name: k, regex_rewrite: {pattern: {regex: \""
        + regex
        + "\"}, substitution: \""
        + substitution
        + "\"}}}";
  }

  private static List<HashPolicy> policies(String... policies) {
    var table = Decoding.valid(ROUTE, routes(policies));
    var action = table.virtualHosts().get(0).routes().get(0).action();
    return ((RouteAction.Forward) action).hashPolicies();
  }

  private static String routes(String... policies) {
    return "{name: r, virtual_hosts: [{name: h, domains: [\"*\"], routes: [{match: {prefix: \"\"},"
        + " route: {cluster: c, hash_policy: ["
        + String.join(", ", policies)
        + "]}}]}]}";
  }

  private static RequestView header(String value) {
    return new RequestView() {
      @Override
      public String path() {
        return "/";
      }

      @Override
      public String header(String name) {
        return value;
      }
    };
  }
}
