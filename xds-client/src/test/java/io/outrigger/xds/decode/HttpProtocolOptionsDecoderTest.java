package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpProtocolOptionsDecoderTest {
  private static final String ADS =
      "\"type\": \"EDS\", \"eds_cluster_config\": {\"eds_config\": {\"ads\": {}}}";

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"common_http_protocol_options\": {\"idle_timeout\": \"10s\"}} | PT10S",
        "{\"common_http_protocol_options\": {\"idle_timeout\": \"0s\"}} | PT0S",
        "{\"common_http_protocol_options\": {\"max_connection_duration\": \"5s\"}} | PT1H",
        "{\"explicit_http_config\": {\"http2_protocol_options\": {}}} | PT1H",
      })
  @Conformance({"A75-40", "A75-42"})
  void idleTimeoutIsAnHourUnlessGiven(String options, String expected) {
    String typed =
        options.replaceFirst(
            "\\{",
            "{\"@type\": \"type.googleapis.com/" + ClusterDecoder.HTTP_PROTOCOL_OPTIONS + "\",");

    assertThat(valid(CLUSTER, cluster(ADS + options(typed))).sessions().idleTimeout())
        .isEqualTo(java.time.Duration.parse(expected));
  }

  @Test
  @Conformance("A75-41")
  void protocolOptionsOfAnotherTypeAreRefused() {
    assertThat(
            errors(
                CLUSTER,
                cluster(
                    ADS + options("{\"@type\": \"type.googleapis.com/google.protobuf.Empty\"}"))))
        .containsExactly(
            "typed_extension_protocol_options[\"envoy.extensions.upstreams.http.v3"
                + ".HttpProtocolOptions\"]: holds \"google.protobuf.Empty\"; must be"
                + " envoy.extensions.upstreams.http.v3.HttpProtocolOptions");
  }

  @ParameterizedTest(name = "{0} s {1} ns")
  @CsvSource({"-1, 0", "315576000001, 0", "0, -1", "0, 1000000000"})
  @Conformance("A75-42")
  void idleTimeoutOutOfRangeIsRefused(long seconds, int nanos) {
    assertThat(errors(CLUSTER, withIdleTimeout(seconds, nanos)))
        .singleElement()
        .asString()
        .contains("HttpProtocolOptions\"].common_http_protocol_options.idle_timeout: is ");
  }

  @Test
  @Conformance("A75-42")
  void largestIdleTimeoutIsLegal() {
    assertThat(
            valid(CLUSTER, withIdleTimeout(315_576_000_000L, 999_999_999)).sessions().idleTimeout())
        .isEqualTo(ProtoDurations.MAX);
  }

  private static Cluster withIdleTimeout(long seconds, int nanos) {
    var options = HttpProtocolOptions.newBuilder();
    options
        .getCommonHttpProtocolOptionsBuilder()
        .setIdleTimeout(Duration.newBuilder().setSeconds(seconds).setNanos(nanos));
    var cluster = Cluster.newBuilder().setName("pay").setType(Cluster.DiscoveryType.EDS);
    cluster.getEdsClusterConfigBuilder().getEdsConfigBuilder().getAdsBuilder();
    cluster.putTypedExtensionProtocolOptions(
        ClusterDecoder.HTTP_PROTOCOL_OPTIONS, Any.pack(options.build()));
    return cluster.build();
  }

  private static String options(String typed) {
    return ", \"typed_extension_protocol_options\": {\""
        + ClusterDecoder.HTTP_PROTOCOL_OPTIONS
        + "\": "
        + typed
        + "}";
  }

  private static String cluster(String fields) {
    return "{\"name\": \"pay\", " + fields + "}";
  }
}
