package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;
import io.outrigger.config.cluster.OutlierDetection.SuccessRate;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutlierDetectionDecoderTest {
  private static final SuccessRate DEFAULT_SUCCESS_RATE = new SuccessRate(1900, 100, 5, 100);

  @Test
  @Conformance({"A50-01", "A50-02"})
  void emptyMessageTurnsSuccessRateOnWithAllDefaults() {
    assertThat(valid("{}"))
        .isEqualTo(
            new OutlierDetection(
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(300),
                10,
                Optional.of(DEFAULT_SUCCESS_RATE),
                Optional.empty()));
  }

  @Test
  @Conformance("A50-01")
  void failurePercentageHasItsDefaults() {
    assertThat(valid("{\"enforcing_failure_percentage\": 100}").failurePercentage())
        .contains(new FailurePercentage(85, 100, 5, 50));
  }

  @ParameterizedTest(name = "base {0}, max {1} -> {2}")
  @CsvSource({
    "30s,  -,    300s",
    "400s, -,    400s",
    "-,    -,    300s",
    "400s, 300s, 300s",
    "-,    20s,  20s",
  })
  @Conformance("A50-01")
  void longestEjectionIsAtLeastTheBaseUnlessGiven(String base, String max, String expected) {
    String fields =
        (base.equals("-") ? "" : "\"base_ejection_time\": \"" + base + "\",")
            + (max.equals("-") ? "" : "\"max_ejection_time\": \"" + max + "\",")
            + "\"interval\": \"5s\"";

    assertThat(valid("{" + fields + "}").maxEjectionTime())
        .isEqualTo(Duration.parse("PT" + expected));
  }

  @Test
  void everyFieldIsTaken() {
    assertThat(
            valid(
                """
                {"interval": "1s", "base_ejection_time": "2.5s", "max_ejection_time": "0s",
                 "max_ejection_percent": 50,
                 "enforcing_success_rate": 1, "success_rate_minimum_hosts": 2,
                 "success_rate_request_volume": 3, "success_rate_stdev_factor": 4,
                 "enforcing_failure_percentage": 5, "failure_percentage_threshold": 6,
                 "failure_percentage_minimum_hosts": 7, "failure_percentage_request_volume": 8}
                """))
        .isEqualTo(
            new OutlierDetection(
                Duration.ofSeconds(1),
                Duration.ofMillis(2500),
                Duration.ZERO,
                50,
                Optional.of(new SuccessRate(4, 1, 2, 3)),
                Optional.of(new FailurePercentage(6, 5, 7, 8))));
  }

  @Test
  void numbersAreUnsigned() {
    var detection =
        valid(
            """
            {"success_rate_minimum_hosts": 4294967295, "success_rate_request_volume": 4294967294,
             "success_rate_stdev_factor": 2147483648, "enforcing_failure_percentage": 1,
             "failure_percentage_minimum_hosts": 3000000000,
             "failure_percentage_request_volume": 4294967295}
            """);

    assertThat(detection.successRate())
        .contains(new SuccessRate(2147483648L, 100, 4294967295L, 4294967294L));
    assertThat(detection.failurePercentage())
        .contains(new FailurePercentage(85, 1, 3000000000L, 4294967295L));
  }

  @ParameterizedTest(name = "{0}: success rate {1}, failure percentage {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                              | true  | false",
        "{\"enforcing_success_rate\": 0}                                 | false | false",
        "{\"enforcing_success_rate\": 1}                                 | true  | false",
        "{\"enforcing_failure_percentage\": 0}                           | true  | false",
        "{\"enforcing_failure_percentage\": 1}                           | true  | true",
        "{\"enforcing_success_rate\": 0, \"enforcing_failure_percentage\": 50} | false | true",
        "{\"failure_percentage_threshold\": 50}                          | true  | false",
        "{\"enforcing_success_rate\": 0, \"success_rate_stdev_factor\": 4294967295,"
            + " \"success_rate_request_volume\": 4294967295}             | false | false",
      })
  @Conformance({"A50-02", "A50-03"})
  void algorithmsAreOnAsTheirEnforcementSays(
      String json, boolean successRate, boolean failurePercentage) {
    assertThat(valid(json).successRate().isPresent()).isEqualTo(successRate);
    assertThat(valid(json).failurePercentage().isPresent()).isEqualTo(failurePercentage);
  }

  @Test
  @Conformance("A50-04")
  void clusterWithoutTheFieldHasNoDetection() {
    assertThat(Decoding.valid(CLUSTER, eds().build()).outlierDetection()).isEmpty();
  }

  @Test
  @Conformance("A50-05")
  void fieldsOfOtherAlgorithmsAreIgnored() {
    assertThat(
            valid(
                """
                {"consecutive_5xx": 3, "enforcing_consecutive_5xx": 4294967295,
                 "consecutive_gateway_failure": 1, "enforcing_consecutive_gateway_failure": 200,
                 "split_external_local_origin_errors": true,
                 "consecutive_local_origin_failure": 2,
                 "enforcing_consecutive_local_origin_failure": 300,
                 "enforcing_local_origin_success_rate": 400,
                 "enforcing_failure_percentage_local_origin": 500,
                 "max_ejection_time_jitter": "-5s", "always_eject_one_host": true}
                """))
        .isEqualTo(valid("{}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"interval", "base_ejection_time", "max_ejection_time"})
  @Conformance("A50-06")
  void illegalDurationsAreRefused(String field) {
    for (com.google.protobuf.Duration bad :
        List.of(
            duration(-1, 0),
            duration(0, -1),
            duration(315_576_000_001L, 0),
            duration(1, 1_000_000_000),
            duration(1, -1),
            duration(-1, 1))) {
      assertThat(Decoding.errors(CLUSTER, withField(field, bad)))
          .singleElement()
          .asString()
          .startsWith("outlier_detection." + field + ": is ");
    }
    Decoding.valid(CLUSTER, withField(field, duration(315_576_000_000L, 999_999_999)));
    Decoding.valid(CLUSTER, withField(field, duration(0, 0)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "max_ejection_percent",
        "enforcing_success_rate",
        "failure_percentage_threshold",
        "enforcing_failure_percentage"
      })
  @Conformance({"A50-07", "A50-08"})
  void percentagesAboveAHundredAreRefusedUnsigned(String field) {
    // Enforcement of failure percentage is unset, so that its threshold belongs to an algorithm
    // that is off.
    for (long bad : new long[] {101, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL}) {
      assertThat(Decoding.errors(CLUSTER, withField(field, UInt32Value.of((int) bad))))
          .containsExactly("outlier_detection." + field + ": " + bad + " is above 100");
    }
    Decoding.valid(CLUSTER, withField(field, UInt32Value.of(100)));
    Decoding.valid(CLUSTER, withField(field, UInt32Value.of(0)));
  }

  @Test
  @Conformance("A50-08")
  void thresholdOfAnAlgorithmThatIsOffIsValidated() {
    var detection =
        io.envoyproxy.envoy.config.cluster.v3.OutlierDetection.newBuilder()
            .setEnforcingFailurePercentage(UInt32Value.of(0))
            .setFailurePercentageThreshold(UInt32Value.of(101));

    assertThat(Decoding.errors(CLUSTER, eds().setOutlierDetection(detection).build()))
        .containsExactly("outlier_detection.failure_percentage_threshold: 101 is above 100");
  }

  private static OutlierDetection valid(String json) {
    return Decoding.valid(
            CLUSTER,
            """
            {"name": "pay", "type": "EDS", "eds_cluster_config": {"eds_config": {"ads": {}}},
             "outlier_detection": %s}
            """
                .formatted(json))
        .outlierDetection()
        .orElseThrow();
  }

  private static Cluster withField(String field, Object value) {
    var type = io.envoyproxy.envoy.config.cluster.v3.OutlierDetection.getDescriptor();
    var detection =
        io.envoyproxy.envoy.config.cluster.v3.OutlierDetection.newBuilder()
            .setField(type.findFieldByName(field), value);
    return eds().setOutlierDetection(detection).build();
  }

  private static com.google.protobuf.Duration duration(long seconds, int nanos) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  private static Cluster.Builder eds() {
    var cluster = Cluster.newBuilder().setName("pay").setType(Cluster.DiscoveryType.EDS);
    cluster.getEdsClusterConfigBuilder().getEdsConfigBuilder().getAdsBuilder();
    return cluster;
  }
}
