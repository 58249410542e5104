package io.outrigger.program.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Configuration files and values of flags: any text is read, or is {@link InvalidInput}. */
class OptionsBytesRandomTest {
  private static final int RUNS = 500;

  @TempDir static Path folder;

  static Stream<Case> readers() throws IOException {
    return Stream.of(
        file(
            "configuration in YAML",
            Shape.BYTES,
            """
            # a comment
            forward:
              - 9001=xds:///orders
              - "stock@127.0.0.1:9002=xds:///stock"
            admin: off
            drain-timeout: 30s
            max-memory: 64MiB
            max-connections: 100
            metric-methods: [a.B/C]
            """),
        file(
            "configuration in JSON, which is YAML",
            Shape.JSON,
            """
            {"forward": ["9001=xds:///orders"], "admin": "127.0.0.1:0", "threads": 2,
             "connect-timeout": "1.5s", "ignore-route-timeout": true, "authority": "preserve"}
            """),
        flag(Flag.FORWARD, "a@[::1]:9001=xds:///orders", "unix:/a=dns:///a:1", "1=xds://east/%2F"),
        flag(Flag.FORWARD, "9001=k8s:///orders.shop:grpc", "9001=k8s:///orders.shop:8080"),
        Case.ofText(
            "--serve",
            IllegalArgumentException.class,
            bytes -> ServeSpec.parse(new String(bytes, UTF_8)),
            Shape.BYTES,
            "pay@0.0.0.0:8443=127.0.0.1:8080",
            "[::]:1=unix:/run/app.sock"),
        flag(Flag.ADMIN, "127.0.0.1:9901", "[::1]:0", "off"),
        flag(Flag.DRAIN_TIMEOUT, "250ms", "1.5h", "30m"),
        flag(Flag.MAX_MEMORY, "64MiB", "10000000"),
        flag(Flag.AUTHORITY, "target", "a.example:80"),
        flag(Flag.OTLP, "http://127.0.0.1:4317"));
  }

  private static Case flag(Flag flag, String... samples) throws IOException {
    var fixture = new OptionsFixture(folder) {};
    fixture.environment.put("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    return Case.ofText(
        flag.option(),
        InvalidInput.class,
        bytes -> {
          fixture.give(flag, new String(bytes, UTF_8));
          fixture.read();
        },
        Shape.BYTES,
        samples);
  }

  private static Case file(String name, Shape shape, String sample) throws IOException {
    var fixture = new OptionsFixture(folder) {};
    fixture.flags.remove(Flag.FORWARD);
    return Case.ofText(
        name,
        InvalidInput.class,
        bytes -> {
          Path file = Files.write(folder.resolve("config.yaml"), bytes);
          fixture.give(Flag.CONFIG, file.toString());
          fixture.read();
        },
        shape,
        sample);
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}
