package io.outrigger.config.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ListenerNamesTest {
  private static final Bootstrap.Authority PLAIN =
      new Bootstrap.Authority(List.of(), Optional.empty(), false);

  private static Bootstrap bootstrap(String template, Map<String, Bootstrap.Authority> others) {
    return new Bootstrap(
        List.of(),
        new Node("", "", new Locality("", "", ""), Map.of()),
        others,
        Map.of(),
        template,
        Optional.empty());
  }

  private static Bootstrap federated(String template) {
    return bootstrap(
        template,
        Map.of(
            "plain.example",
            PLAIN,
            "own.example",
            new Bootstrap.Authority(
                List.of(), Optional.of("xdstp://own.example/x/%s?a=1"), false)));
  }

  @ParameterizedTest(name = "{0} with {1} -> {2}")
  @Conformance("A47-05")
  @CsvSource({
    "%s, orders, orders",
    "%s, server.example.com:80, server.example.com:80",
    "%s, a/b c, a/b c",
    "grpc/client/%s, a?b, grpc/client/a?b",
    "fixed, orders, fixed",
    "xdstp://plain.example/L/%s, orders, xdstp://plain.example/L/orders",
    "xdstp://plain.example/L/%s, a/b c?d#e%, xdstp://plain.example/L/a/b%20c%3Fd%23e%25",
    "xdstp://plain.example/L/%s, [::1]:80, xdstp://plain.example/L/%5B::1%5D:80",
    "xdstp://plain.example/L/%s, ü, xdstp://plain.example/L/%C3%BC",
    "xdstp://plain.example/L/%s, -._~!$&'()*+;=:@, \"xdstp://plain.example/L/-._~!$&'()*+;=:@\"",
    "xdstp://plain.example/%s/%s, a, xdstp://plain.example/a/a",
  })
  void theDefaultTemplateEncodesOnlyForNewStyleNames(String template, String path, String name) {
    assertThat(ListenerNames.of(federated(template), Optional.empty(), path))
        .isEqualTo(Outcome.ok(name.replace("\"", "")));
  }

  @ParameterizedTest(name = "xds://{0}/{1} -> {2}")
  @Conformance({"A47-01", "A47-05"})
  @CsvSource({
    "plain.example, a b, xdstp://plain.example/envoy.config.listener.v3.Listener/a%20b",
    "own.example, a b, xdstp://own.example/x/a%20b?a=1",
  })
  void anAuthorityUsesItsOwnTemplateOrTheUsualOne(String authority, String path, String name) {
    assertThat(ListenerNames.of(federated("%s"), Optional.of(authority), path))
        .isEqualTo(Outcome.ok(name));
  }

  @Test
  void anAuthorityThatTheBootstrapDoesNotDefineIsAnError() {
    assertThat(ListenerNames.of(federated("%s"), Optional.of("no.example"), "a").status().message())
        .isEqualTo(
            "authority \"no.example\" is not among the bootstrap's authorities"
                + " [own.example, plain.example]; add it there");
    assertThat(
            ListenerNames.of(federated("xdstp://no.example/%s"), Optional.empty(), "a")
                .status()
                .message())
        .isEqualTo(
            "client_default_listener_resource_name_template: authority \"no.example\" is not among"
                + " the bootstrap's authorities [own.example, plain.example]; add it there");
  }

  private static Bootstrap serving(String template) {
    return new Bootstrap(
        List.of(),
        new Node("", "", new Locality("", "", ""), Map.of()),
        Map.of("plain.example", PLAIN),
        Map.of(),
        "%s",
        Optional.of(template));
  }

  @ParameterizedTest(name = "{0} with {1} -> {2}")
  @Conformance("A36-01")
  @CsvSource({
    "xds.istio.io/grpc/lds/inbound/%s, 10.1.2.3:8080, xds.istio.io/grpc/lds/inbound/10.1.2.3:8080",
    "grpc/server?address=%s, [::]:8080, grpc/server?address=[::]:8080",
    "%s, 0.0.0.0:8080, 0.0.0.0:8080",
    "%s/%s, 0.0.0.0:8080, 0.0.0.0:8080/0.0.0.0:8080",
    "fixed, 0.0.0.0:8080, fixed",
    "xdstp://plain.example/L/%s, [::]:8080, xdstp://plain.example/L/%5B::%5D:8080",
  })
  void theAddressToServeReplacesEachMark(String template, String listen, String name) {
    assertThat(ListenerNames.ofServer(serving(template), listen)).isEqualTo(Outcome.ok(name));
  }

  @Test
  @Conformance({"A36-01", "A36-02"})
  void aTemplateForServersMustExistAndHaveAKnownAuthority() {
    assertThat(ListenerNames.ofServer(federated("%s"), "0.0.0.0:8080").status().message())
        .isEqualTo(
            "server_listener_resource_name_template: is missing in the bootstrap; add the template"
                + " that the control plane expects, such as \"xds.istio.io/grpc/lds/inbound/%s\"");
    assertThat(
            ListenerNames.ofServer(serving("xdstp://no.example/L/%s"), "0.0.0.0:8080")
                .status()
                .message())
        .isEqualTo(
            "server_listener_resource_name_template: authority \"no.example\" is not among the"
                + " bootstrap's authorities [plain.example]; add it there");
  }

  @Test
  void aNewStyleNameWithoutAuthorityBelongsToTheEmptyOne() {
    assertThat(
            ListenerNames.of(
                bootstrap("xdstp:///L/%s", Map.of("", PLAIN)), Optional.empty(), "orders"))
        .isEqualTo(Outcome.ok("xdstp:///L/orders"));
    assertThat(ListenerNames.of(federated("xdstp:///L/%s"), Optional.empty(), "a").isOk())
        .isFalse();
  }
}
