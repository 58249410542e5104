package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Optional;
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
  @Conformance("A29-02")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"name\": \"envoy.transport_sockets.tls\", \"typed_config\": {\"@type\":"
            + " \"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3"
            + ".DownstreamTlsContext\"}}"
            + " | envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
        "{\"name\": \"envoy.transport_sockets.tls\"} | envoy.transport_sockets.tls",
        "{\"name\": \"envoy.transport_sockets.alts\"} | envoy.transport_sockets.alts",
        "{} | ''",
      })
  void clusterThatAsksForSomethingElseIsNotSpokenToInPlainText(String socket, String named) {
    assertThat(errors(CLUSTER, cluster(ADS + ", \"transport_socket\": " + socket)))
        .containsExactly(
            "transport_socket: \""
                + named
                + "\" is not supported, and the cluster is refused rather than spoken to in plain"
                + " text; give "
                + TransportSecurityDecoder.UPSTREAM_TLS
                + ", or leave transport_socket out");
  }

  @Test
  @Conformance("A29-02")
  void transportSocketMatchesAreRefused() {
    assertThat(
            errors(CLUSTER, cluster(ADS + ", \"transport_socket_matches\": [{\"name\": \"x\"}]")))
        .containsExactly("transport_socket_matches: is not supported; use transport_socket");
  }

  @Test
  @Conformance("A86-01")
  void connectionsMayGoThroughProxies() {
    assertThat(valid(CLUSTER, cluster(ADS + connect(""))).transport().httpConnect()).isTrue();
    assertThat(valid(CLUSTER, cluster(ADS)).transport().httpConnect()).isFalse();
  }

  @Test
  @Conformance("A86-03")
  void insideThatOnlyTlsMayStand() {
    String plain = "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer";
    assertThat(errors(CLUSTER, cluster(ADS + connect(inner(plain)))))
        .containsExactly(
            "transport_socket.typed_config.transport_socket: \""
                + plain
                + "\" may not stand here; leave it out, or give "
                + TransportSecurityDecoder.UPSTREAM_TLS);

    String roots =
        ", \"common_tls_context\": {\"validation_context\": {\"system_root_certs\": {}}}";
    var cluster =
        valid(CLUSTER, cluster(ADS + connect(inner(TransportSecurityDecoder.UPSTREAM_TLS, roots))));
    assertThat(cluster.transport().httpConnect()).isTrue();
    assertThat(cluster.transport().tls())
        .contains(
            new UpstreamTls(
                Optional.empty(), new TrustSource.SystemRoots(), List.of(), "", false, false));
  }

  @Test
  @Conformance("A86-03")
  void tlsInsideThatIsValidatedAsWithoutIt() {
    assertThat(
            errors(CLUSTER, cluster(ADS + connect(inner(TransportSecurityDecoder.UPSTREAM_TLS)))))
        .containsExactly(
            "transport_socket.typed_config.transport_socket.typed_config.common_tls_context:"
                + " names no roots; give validation_context with ca_certificate_provider_instance"
                + " or system_root_certs");
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
    return inner(type, "");
  }

  private static String inner(String type, String fields) {
    return ", \"transport_socket\": {\"name\": \"y\", \"typed_config\": {\"@type\":"
        + " \"type.googleapis.com/"
        + type
        + "\""
        + fields
        + "}}";
  }

  private static String cluster(String fields) {
    return "{\"name\": \"pay\", " + fields + "}";
  }
}
