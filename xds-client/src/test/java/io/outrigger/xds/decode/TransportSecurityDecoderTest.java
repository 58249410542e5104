package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
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

  @Test
  @Conformance("A86-01")
  void connectionsMayGoThroughProxies() {
    assertThat(valid(CLUSTER, cluster(ADS + connect(""))).httpConnect()).isTrue();
    assertThat(valid(CLUSTER, cluster(ADS)).httpConnect()).isFalse();
  }

  /** TLS would be right there, but is as little supported as without the proxy. */
  @Test
  @Conformance("A86-03")
  void insideThatOnlyTlsMayStand() {
    assertThat(errors(CLUSTER, cluster(ADS + connect(inner(TransportSecurityDecoder.RAW_BUFFER)))))
        .containsExactly(
            "transport_socket.typed_config.transport_socket: \""
                + TransportSecurityDecoder.RAW_BUFFER
                + "\" may not stand here; leave it out, or give "
                + TransportSecurityDecoder.UPSTREAM_TLS);
    assertThat(
            errors(CLUSTER, cluster(ADS + connect(inner(TransportSecurityDecoder.UPSTREAM_TLS)))))
        .singleElement()
        .asString()
        .contains("upstream TLS is not supported yet");
  }

  private static String connect(String inner) {
    return ", \"transport_socket\": {\"name\": \"x\", \"typed_config\": {\"@type\":"
        + " \"type.googleapis.com/"
        + TransportSecurityDecoder.HTTP_CONNECT
        + "\""
        + inner
        + "}}";
  }

  private static String inner(String type) {
    return ", \"transport_socket\": {\"name\": \"y\", \"typed_config\": {\"@type\":"
        + " \"type.googleapis.com/"
        + type
        + "\"}}";
  }

  private static String cluster(String fields) {
    return "{\"name\": \"pay\", " + fields + "}";
  }
}
