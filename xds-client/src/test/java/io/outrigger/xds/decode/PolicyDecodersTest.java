package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyDecodersTest {
  private static final String EXTENSION =
      "load_balancing_policy.policies[0].typed_extension_config.typed_config";

  @Conformance("A42-02")
  @ParameterizedTest(name = "{0} -> {1}, {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "                                               | 1024    | 8388608",
        "minimum_ring_size: 1, maximum_ring_size: 1      | 1       | 1",
        "minimum_ring_size: 3                           | 3       | 8388608",
        "maximum_ring_size: 2000                        | 1024    | 2000",
        "minimum_ring_size: 8388608                     | 8388608 | 8388608",
      })
  void ringSizes(String fields, long min, long max) {
    var expected = new BalancingPolicy.RingHash(min, max, "");

    assertThat(policy(legacyRing(fields))).isEqualTo(expected);
    assertThat(policy(ring(fields))).isEqualTo(expected);
  }

  @Conformance("A42-02")
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "minimum_ring_size: 5, maximum_ring_size: 4 | minimum_ring_size: is 5, above the maximum of 4",
        "maximum_ring_size: 1000    | minimum_ring_size: is 1024, above the maximum of 1000",
        "minimum_ring_size: 8388609 | minimum_ring_size: is 8388609; must be 1 to 8388608",
        "maximum_ring_size: 8388609 | maximum_ring_size: is 8388609; must be 1 to 8388608",
        "minimum_ring_size: 0       | minimum_ring_size: is 0; must be 1 to 8388608",
        "maximum_ring_size: \"18446744073709551615\""
            + " | maximum_ring_size: is 18446744073709551615; must be 1 to 8388608",
      })
  void contradictoryRingSizesAreRefused(String fields, String error) {
    assertThat(errors(legacyRing(fields))).containsExactly("ring_hash_lb_config." + error);
    assertThat(errors(ring(fields))).containsExactly(EXTENSION + "." + error);
  }

  @Conformance("A42-03")
  @Test
  void otherHashFunctionsAreRefused() {
    assertThat(errors(legacyRing("hash_function: MURMUR_HASH_2")))
        .containsExactly(
            "ring_hash_lb_config.hash_function: MURMUR_HASH_2 is not supported; must be XX_HASH");
    for (String other : List.of("MURMUR_HASH_2", "DEFAULT_HASH")) {
      assertThat(errors(extension("ring_hash.v3.RingHash", "hash_function: " + other)))
          .containsExactly(
              EXTENSION + ".hash_function: " + other + " is not supported; must be XX_HASH");
    }
  }

  @Conformance("A48-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "'', 2",
    "choice_count: 2, 2",
    "choice_count: 10, 10",
    "choice_count: 4000000000, 10"
  })
  void choices(String fields, int choices) {
    var expected = new BalancingPolicy.LeastRequest(choices);

    assertThat(policy("lb_policy: LEAST_REQUEST, least_request_lb_config: {" + fields + "}"))
        .isEqualTo(new BalancingPolicy.WrrLocality(expected));
    assertThat(policy(extension("least_request.v3.LeastRequest", fields))).isEqualTo(expected);
  }

  @Conformance("A48-01")
  @ParameterizedTest
  @CsvSource({"0", "1"})
  void oneChoiceIsNone(int choices) {
    String fields = "choice_count: " + choices;
    String error = ".choice_count: is " + choices + "; must be at least 2";

    assertThat(errors("lb_policy: LEAST_REQUEST, least_request_lb_config: {" + fields + "}"))
        .containsExactly("least_request_lb_config" + error);
    assertThat(errors(extension("least_request.v3.LeastRequest", fields)))
        .containsExactly(EXTENSION + error);
  }

  @Conformance("A48-04")
  @Test
  void biasAndSlowStartAreIgnored() {
    assertThat(
            policy(
                extension(
                    "least_request.v3.LeastRequest",
                    "active_request_bias: {default_value: 2, runtime_key: b},"
                        + " slow_start_config: {slow_start_window: 10s}")))
        .isEqualTo(new BalancingPolicy.LeastRequest(2));
  }

  @Conformance("A58-01")
  @Test
  void weightedRoundRobinHasTheDocumentedDefaults() {
    assertThat(policy(weighted("")))
        .isEqualTo(
            new BalancingPolicy.WeightedRoundRobin(
                false,
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(180),
                Duration.ofSeconds(1),
                1.0,
                List.of()));
  }

  @Conformance({"A58-01", "A58-02"})
  @Test
  void weightedRoundRobinTakesWhatIsGiven() {
    assertThat(
            policy(
                weighted(
                    "enable_oob_load_report: true, oob_reporting_period: 5s, blackout_period: 0s,"
                        + " weight_expiration_period: 60s, weight_update_period: 0.05s,"
                        + " error_utilization_penalty: 0,"
                        + " metric_names_for_computing_utilization: [named_metrics.q]")))
        .isEqualTo(
            new BalancingPolicy.WeightedRoundRobin(
                true,
                Duration.ofSeconds(5),
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofMillis(100),
                0,
                List.of("named_metrics.q")));
  }

  @Conformance("A58-01")
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "error_utilization_penalty: -0.1, .error_utilization_penalty: is -0.1",
    "error_utilization_penalty: NaN, .error_utilization_penalty: is NaN",
  })
  void weightedRoundRobinRefusesWhatMeansNothing(String fields, String error) {
    assertThat(errors(weighted(fields))).singleElement().asString().startsWith(EXTENSION + error);
  }

  private static String weighted(String fields) {
    return extension("client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin", fields);
  }

  private static String legacyRing(String fields) {
    return "lb_policy: RING_HASH, ring_hash_lb_config: {" + (fields == null ? "" : fields) + "}";
  }

  private static String ring(String fields) {
    return extension(
        "ring_hash.v3.RingHash", "hash_function: XX_HASH" + (fields == null ? "" : ", " + fields));
  }

  /** A policy list of one entry. */
  static String extension(String type, String fields) {
    return "load_balancing_policy: {policies: [{typed_extension_config: {name: p, typed_config: {"
        + "\"@type\": \"type.googleapis.com/envoy.extensions.load_balancing_policies."
        + type
        + "\""
        + (fields.isEmpty() ? "" : ", " + fields)
        + "}}}]}";
  }

  static BalancingPolicy policy(String fields) {
    ClusterResource cluster = Decoding.valid(CLUSTER, cluster(fields));
    return cluster.policy();
  }

  static List<String> errors(String fields) {
    return Decoding.errors(CLUSTER, cluster(fields));
  }

  private static String cluster(String fields) {
    return "{name: pay, type: EDS, eds_cluster_config: {eds_config: {ads: {}}}, " + fields + "}";
  }
}
