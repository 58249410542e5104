package io.outrigger.xds.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import io.outrigger.xds.status.FileProblem;
import io.outrigger.xds.testing.Overlays;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is wrong with a document is told with its place. */
final class OverlayFormatTest {
  private static Arguments rule(String problem, String... lines) {
    return Arguments.of(problem, "overlay:\n- name: r\n  " + String.join("\n  ", lines) + "\n");
  }

  private static Arguments cluster(String problem, String... patch) {
    return Arguments.of(
        problem,
        "overlay:\n- name: r\n  clusters: ['*']\n  patch:\n    "
            + String.join("\n    ", patch)
            + "\n");
  }

  static Stream<Arguments> faults() {
    return Stream.of(
        Arguments.of("1:1: must be a mapping with one list", ""),
        Arguments.of("1:1: must be a mapping with one list", "- a"),
        Arguments.of("1:1: must be a mapping with one list", "overlay: {a: b}"),
        Arguments.of("2:1: rules: is unknown", "overlay: []\nrules: []"),
        Arguments.of("2:3: overlay[0]: must be a mapping", "overlay:\n- a"),
        Arguments.of("3:1: not YAML: ", "overlay:\n- [a, b\n"),
        Arguments.of("2:13: \"name\" stands here twice", "overlay:\n- {name: a, name: b}"),
        Arguments.of("2:3: overlay[0] name: is missing", "overlay:\n- clusters: ['*']\n"),
        Arguments.of(
            "4:3: rule a name: is already the name of the rule in line 2; give each rule its own",
            """
            overlay:
            - {name: a, clusters: ['*'], patch: {lb_policy: RING_HASH}}

            - {name: a, clusters: ['*'], patch: {lb_policy: RING_HASH}}
            """),
        rule("3:3: rule r cluster: is unknown; supported: ", "cluster: ['*']"),
        rule(
            "2:3: rule r: has neither clusters nor targets or routes; name those that it is for",
            "patch: {lb_policy: 1}"),
        rule("2:3: rule r: has clusters beside targets", "clusters: ['*']", "targets: ['*']"),
        rule("2:3: rule r patch: is missing", "clusters: ['*']"),
        rule("4:3: rule r patch: must be a mapping that sets", "clusters: ['*']", "patch: {}"),
        rule("3:3: rule r clusters: must be globs", "clusters: []", "patch: {lb_policy: 1}"),
        rule("3:3: rule r clusters: must be globs", "clusters: [[a]]", "patch: {lb_policy: 1}"),
        rule(
            "4:3: rule r mode: must be default or",
            "clusters: a",
            "mode: on",
            "patch: {alpn: [a]}"),
        rule(
            "3:3: rule r routes: must be a mapping with some",
            "routes: {}",
            "patch: {timeout: 1s}"),
        rule(
            "3:12: rule r routes.prefix: is unknown",
            "routes: {prefix: /a}",
            "patch: {timeout: 1s}"),
        cluster(
            "5:5: rule r patch.outlier_detectoin: unknown field of envoy.config.cluster.v3.Cluster;"
                + " did you mean outlier_detection?",
            "outlier_detectoin: {}"),
        cluster(
            "6:7: rule r patch.outlier_detection.intervall: unknown field of"
                + " envoy.config.cluster.v3.OutlierDetection; did you mean interval?",
            "outlier_detection:",
            "  intervall: 5s"),
        cluster(
            "6:7: rule r patch.outlier_detection.interval: ",
            "outlier_detection:",
            "  interval: soon"),
        cluster("5:5: rule r patch.outlier_detection: must be an object", "outlier_detection: 5s"),
        cluster(
            "5:25: rule r patch.outlier_detection.interval: ",
            "outlier_detection: {interval: -1s}"),
        cluster(
            "5:25: rule r patch.outlier_detection.max_ejection_percent: 101 is above 100",
            "outlier_detection: {max_ejection_percent: 101}"),
        cluster("5:5: rule r patch.lb_policy: MAGLEV is not supported", "lb_policy: MAGLEV"),
        cluster("5:5: rule r patch.transport_socket: may not be patched", "transport_socket: {}"),
        cluster("5:5: rule r patch.load_assignment: may not be patched", "load_assignment: {}"),
        cluster(
            "5:5: rule r patch.eds_cluster_config: may not be patched", "eds_cluster_config: {}"),
        cluster("5:5: rule r patch.edsClusterConfig: may not be patched", "edsClusterConfig: {}"),
        cluster("5:5: rule r patch.name: may not be patched", "name: other"),
        cluster("5:5: rule r patch.type: may not be patched", "type: STATIC"),
        cluster(
            "5:5: rule r patch.dns_lookup_family: may not be patched",
            "dns_lookup_family: V4_ONLY"),
        cluster("5:5: rule r patch.lrs_server: may not be patched", "lrs_server: {self: {}}"),
        cluster("5:5: rule r patch.alpn: must be a list", "alpn: istio"),
        cluster("5:5: rule r patch.alpn: must be a list", "alpn: [http/1.1]"),
        cluster("5:5: rule r patch.alpn: must be a list", "alpn: [a, a]"),
        cluster(
            "5:5: rule r patch.typed_extension_protocol_options: must be a mapping with the key",
            "typed_extension_protocol_options: {a: {}}"),
        cluster(
            "6:21: rule r patch.circuit_breakers.thresholds[0].max_reqests: unknown field",
            "circuit_breakers:",
            "  thresholds: [{max_reqests: 5}]"),
        rule(
            "4:11: rule r patch.cluster: may not be patched",
            "targets: ['*']",
            "patch: {cluster: other}"),
        rule(
            "4:11: rule r patch.weighted_clusters: may not be patched",
            "targets: ['*']",
            "patch: {weighted_clusters: {}}"),
        rule(
            "4:11: rule r patch.auto_host_rewrite: may not be patched",
            "targets: ['*']",
            "patch: {auto_host_rewrite: true}"),
        rule(
            "4:26: rule r patch.retry_policy.num_retries: ",
            "routes: {path: /a}",
            "patch: {retry_policy: {num_retries: 0}}"));
  }

  @ParameterizedTest
  @Conformance("OV-03")
  @MethodSource("faults")
  void aFaultHasItsPlace(String problem, String document) {
    assertThat(Overlays.problems(document, ".yaml"))
        .as(document)
        .anySatisfy(found -> assertThat(found).startsWith(problem));
  }

  @Test
  @Conformance("OV-03")
  void nothingOfAFileWithAFaultCounts() {
    assertThat(
            Overlays.problems(
                """
                overlay:
                - {name: good, clusters: ["*"], patch: {lb_policy: RING_HASH}}
                - {name: bad, clusters: ["*"], patch: {name: x}}
                """,
                ".yaml"))
        .hasSize(1);
  }

  @Test
  @Conformance("OV-01")
  void jsonIsTheSameTree() {
    assertThat(
            Overlays.problems(
                "{\"overlay\":\n\t[{\"name\": \"a\",\n\t\"clusters\": [\"*\"],"
                    + " \"patch\": {\"outlierDetection\": {\"interval\": \"5s\"}}}]}",
                ".json"))
        .isEmpty();
  }

  @Test
  void aValueThatIsValidInSomeSurroundingsIsNoFault() {
    assertThat(
            Overlays.problems(
                "overlay: [{name: a, clusters: ['*'], patch: {lb_policy: RING_HASH,"
                    + " ring_hash_lb_config: {maximum_ring_size: 10}}}]",
                ".yaml"))
        .isEmpty();
  }

  @Test
  void aliasesCannotFillTheMemory() {
    var document = new StringBuilder("overlay:\n- &a [x, x, x, x, x, x, x, x, x, x]\n");
    for (char c = 'b'; c < 'k'; c++) {
      String before = "*" + (char) (c - 1) + ", ";
      document.append("- &").append(c).append(" [").append(before.repeat(10)).append("]\n");
    }

    assertThat(Overlays.problems(document.toString(), ".yaml"))
        .anySatisfy(found -> assertThat(found).contains("aliases"));
  }

  @Test
  void aHugeFileIsNotRead() {
    assertThat(Overlays.problems("#".repeat(5 << 20), ".yaml"))
        .singleElement()
        .asString()
        .contains("is larger than 4 MiB");
  }

  @Test
  void fieldsThatGrpcIgnoresAreNotedWithTheirPlace() {
    List<FileProblem> problems = new ArrayList<>();
    String text =
        """
        overlay:
        - name: r
          clusters: ["*"]
          patch:
            outlier_detection: {interval: 5s, consecutive_5xx: 3}
            circuit_breakers:
              thresholds:
              - max_requests: 5
                max_pending_requests: 1
        - name: s
          targets: ["*"]
          patch: {retry_policy: {retry_on: unavailable, per_try_timeout: 1s}}
        """;

    var rules = OverlayFormat.parse(Path.of("o.yaml"), text, problems);

    assertThat(problems).isEmpty();
    assertThat(rules.ignored())
        .extracting(FileProblem::toString)
        .containsExactly(
            "o.yaml:5:39: rule r patch.outlier_detection.consecutive_5xx: has no effect: gRPC"
                + " clients ignore it; leave it out",
            "o.yaml:9:9: rule r patch.circuit_breakers.thresholds[0].max_pending_requests: has no"
                + " effect: gRPC clients ignore it; leave it out",
            "o.yaml:12:49: rule s patch.retry_policy.per_try_timeout: has no effect: gRPC clients"
                + " ignore it; leave it out");
  }
}
