package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransportSecurityDecoderTest {
  private static final String ADS =
      "\"type\": \"EDS\", \"eds_cluster_config\": {\"eds_config\": {\"ads\": {}}}";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\": \"envoy.transport_sockets.raw_buffer\"}",
        "{\"name\": \"x\", \"typed_config\": {\"@type\":"
            + " \"type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer\"}}",
      })
  void plainTextMayBeSpelledOut(String socket) {
    valid(CLUSTER, cluster(ADS + ", \"transport_socket\": " + socket));
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"name\": \"envoy.transport_sockets.tls\", \"typed_config\": {\"@type\":"
            + " \"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3"
            + ".UpstreamTlsContext\"}}"
            + " | envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
        "{\"name\": \"envoy.transport_sockets.raw_buffer\", \"typed_config\": {\"@type\":"
            + " \"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3"
            + ".UpstreamTlsContext\"}}"
            + " | envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
        "{\"name\": \"envoy.transport_sockets.tls\"} | envoy.transport_sockets.tls",
        "{} | ''",
      })
  void clusterThatAsksForTlsIsRefusedAndNeverSpokenToWithoutIt(String socket, String named) {
    assertThat(errors(CLUSTER, cluster(ADS + ", \"transport_socket\": " + socket)))
        .containsExactly(
            "transport_socket: \""
                + named
                + "\" is not supported: upstream TLS is not supported yet, and the cluster is"
                + " refused rather than spoken to in plain text");
  }

  @Test
  void transportSocketMatchesAreRefused() {
    assertThat(
            errors(CLUSTER, cluster(ADS + ", \"transport_socket_matches\": [{\"name\": \"x\"}]")))
        .containsExactly("transport_socket_matches: is not supported; use transport_socket");
  }

  private static String cluster(String fields) {
    return "{\"name\": \"pay\", " + fields + "}";
  }
}
