package io.outrigger.config.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever stands in a bootstrap file, reading it ends with a verdict. */
final class BootstrapFuzzTest {
  private static final String WHOLE =
      """
      {"xds_servers": [{"server_uri": "xds:18000", "channel_creds": [{"type": "tls", "config":
      {"ca_certificate_file": "/ca.pem"}}, {"type": "insecure"}], "server_features": ["xds_v3"]}],
      "node": {"id": "n", "cluster": "c", "metadata": {"k": [1, null]},
      "locality": {"region": "r", "zone": "z", "sub_zone": "s"}},
      "authorities": {"a": {"xds_servers": [{"server_uri": "dns:///b:1", "channel_creds":
      [{"type": "insecure"}]}], "client_listener_resource_name_template": "xdstp://a/%s"}},
      "certificate_providers": {"p": {"plugin_name": "file_watcher", "config":
      {"certificate_file": "c", "private_key_file": "k", "refresh_interval": "600s"}}},
      "client_default_listener_resource_name_template": "%s"}
      """;

  static Stream<byte[]> seeds() {
    return Stream.of("", "{}", "[{\"xds_servers\":{}}]", WHOLE)
        .map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  @MethodSource("seeds")
  @FuzzTest
  void anyTextGetsAVerdict(byte[] bytes) {
    BootstrapResult result = BootstrapReader.read(new String(bytes, StandardCharsets.UTF_8));

    if (result instanceof BootstrapResult.Refused refused) {
      assertThat(refused.errors()).allSatisfy(error -> assertThat(error.toString()).isNotBlank());
    }
  }
}
