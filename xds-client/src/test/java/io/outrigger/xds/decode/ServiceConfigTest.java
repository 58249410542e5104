package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServiceConfigTest {
  private static final String AT =
      "load_balancing_policy.policies[0].typed_extension_config.typed_config.value.";

  @Conformance("A52-02")
  @ParameterizedTest
  @ValueSource(strings = {"xds.type.v3.TypedStruct", "udpa.type.v1.TypedStruct"})
  void aTypedStructNamesAPolicyByWhatFollowsTheLastSlash(String type) {
    assertThat(policy(type, "any.host/with/path/round_robin", ""))
        .isEqualTo(new BalancingPolicy.RoundRobin());
    assertThat(policy(type, "h/pick_first", "shuffleAddressList: true"))
        .isEqualTo(new BalancingPolicy.PickFirst(true));
    assertThat(policy(type, "h/least_request_experimental", "choiceCount: 5"))
        .isEqualTo(new BalancingPolicy.LeastRequest(5));
  }

  @Conformance("A76-02")
  @Test
  void aRingMayHashAHeaderAndHasTheDefaultsOfAServiceConfig() {
    assertThat(ring("requestHashHeader: \"X-User_id.1\""))
        .isEqualTo(new BalancingPolicy.RingHash(1024, 4096, "x-user_id.1"));
    assertThat(ring("minRingSize: \"7\", maxRingSize: 8000000"))
        .isEqualTo(new BalancingPolicy.RingHash(7, 8_000_000, ""));
  }

  @Conformance({"A52-02", "A58-01"})
  @Test
  void weightedRoundRobinAsAServiceConfigWritesIt() {
    assertThat(
            policy(
                "xds.type.v3.TypedStruct",
                "h/weighted_round_robin",
                "enableOobLoadReport: true, oobReportingPeriod: \"5s\", blackoutPeriod: \"0.5s\","
                    + " errorUtilizationPenalty: 2.5,"
                    + " metricNamesForComputingUtilization: [cpu_utilization]"))
        .isEqualTo(
            new BalancingPolicy.WeightedRoundRobin(
                true,
                Duration.ofSeconds(5),
                Duration.ofMillis(500),
                Duration.ofMinutes(3),
                Duration.ofSeconds(1),
                2.5,
                List.of("cpu_utilization")));
  }

  @Conformance("A76-04")
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "x-id-bin, is a binary header",
    "X-ID-BIN, is a binary header",
    ":path, is not the name of a header",
    "x id, is not the name of a header",
    "x-é, is not the name of a header",
  })
  void headersThatCannotBeHashedAreRefused(String header, String reason) {
    assertThat(errors("h/ring_hash_experimental", "requestHashHeader: \"" + header + "\""))
        .singleElement()
        .asString()
        .startsWith(AT + "requestHashHeader: ")
        .contains(reason);
  }

  @Conformance("A52-03")
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ring_hash_experimental     | minRingSize: 10, maxRingSize: 9 | minRingSize: is 10, above the maximum of 9",
        "ring_hash_experimental     | maxRingSize: 8388609  | maxRingSize: is 8388609; must be 1 to 8388608",
        "ring_hash_experimental     | minRingSize: 1.5      | minRingSize: is not a whole number",
        "ring_hash_experimental     | minRingSize: x        | minRingSize: is not a whole number",
        "ring_hash_experimental     | requestHashHeader: 5  | requestHashHeader: is not a text",
        "least_request_experimental | choiceCount: 1        | choice_count: is 1; must be at least 2",
        "weighted_round_robin       | errorUtilizationPenalty: -1 | error_utilization_penalty: is -1.0; must be a number of at least 0",
        "weighted_round_robin       | blackoutPeriod: 10    | blackoutPeriod: \"10.0\" is not a duration such as \"5s\" or \"0.25s\"",
        "weighted_round_robin       | blackoutPeriod: ten   | blackoutPeriod: \"ten\" is not a duration such as \"5s\" or \"0.25s\"",
        "pick_first                 | shuffleAddressList: 1 | shuffleAddressList: Invalid bool value: 1.0",
      })
  void aConfigurationThatIsInvalidIsRefused(String policy, String fields, String error) {
    assertThat(errors("h/" + policy, fields)).containsExactly(AT + error);
  }

  /** The names of messages are not those of gRPC's registry. */
  @Conformance("A52-02")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "h/myorg.Custom",
        "h/envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin",
        "h/ring_hash",
      })
  void otherNamesAreSkipped(String name) {
    assertThat(PolicyDecodersTest.errors(entry("xds.type.v3.TypedStruct", name, "")))
        .singleElement()
        .asString()
        .contains("none is supported of \"" + name.substring(2) + "\"");
  }

  private static BalancingPolicy ring(String fields) {
    return policy("xds.type.v3.TypedStruct", "h/ring_hash_experimental", fields);
  }

  private static BalancingPolicy policy(String type, String url, String fields) {
    return PolicyDecodersTest.policy(entry(type, url, fields));
  }

  private static List<String> errors(String url, String fields) {
    return PolicyDecodersTest.errors(entry("xds.type.v3.TypedStruct", url, fields));
  }

  private static String entry(String type, String url, String fields) {
    return "load_balancing_policy: {policies: [{typed_extension_config: {name: p, typed_config: {"
        + "\"@type\": \"type.googleapis.com/"
        + type
        + "\", type_url: \""
        + url
        + "\", value: {"
        + fields
        + "}}}}]}";
  }
}
