package io.outrigger.config.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.outrigger.base.IpAddress;
import io.outrigger.base.PlainText;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Any text of a bootstrap gets a verdict. */
class ConfigBytesRandomTest {
  private static final int RUNS = 3000;

  static Stream<Case> readers() {
    return Stream.of(
        of(
            "bootstrap",
            bytes -> BootstrapReader.read(new String(bytes, UTF_8)),
            Shape.JSON,
            """
            {"xds_servers": [{"server_uri": "xds:18000", "channel_creds": [{"type": "tls", "config":
            {"ca_certificate_file": "/ca.pem", "refresh_interval": "1.5s"}}, {"type": "insecure"}],
            "call_creds": [{"type": "jwt_token_file", "config": {"jwt_token_file": "/t"}}],
            "server_features": ["xds_v3"]}],
            "node": {"id": "n", "cluster": "c", "metadata": {"k": [1, null, {"a": 1.5}]},
            "locality": {"region": "r", "zone": "z", "sub_zone": "s"}},
            "authorities": {"a": {"xds_servers": [{"server_uri": "dns:///b:1", "channel_creds":
            [{"type": "google_default"}]}], "client_listener_resource_name_template": "xdstp://a/%s"}},
            "certificate_providers": {"p": {"plugin_name": "file_watcher", "config":
            {"certificate_file": "c", "private_key_file": "k", "refresh_interval": "600s"}},
            "w": {"plugin_name": "spiffe_workload_api", "config": {"endpoint": "tcp://127.0.0.1:1"}}},
            "client_default_listener_resource_name_template": "%s"}
            """),
        of(
            "endpoint of a Workload API",
            bytes -> WorkloadEndpoint.parse(new String(bytes, UTF_8)),
            Shape.BYTES,
            "unix:///run/agent.sock",
            "tcp://127.0.0.1:8000",
            "tcp://[::1]:8000"),
        of(
            "IP address",
            bytes -> IpAddress.canonical(new String(bytes, UTF_8)),
            Shape.BYTES,
            "10.0.0.1",
            "2001:db8::1",
            "::ffff:10.0.0.1",
            "fe80::1%eth0"),
        of(
            "text on a line of ours",
            bytes -> PlainText.of(new String(bytes, UTF_8)),
            Shape.BYTES,
            "a\u202eb\u0000c"));
  }

  private static Case of(String name, ForeignBytes.Reader reader, Shape shape, String... samples) {
    return Case.ofText(name, Void.class, reader, shape, samples);
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}
