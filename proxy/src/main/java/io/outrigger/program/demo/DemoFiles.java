package io.outrigger.program.demo;

import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The files of the demo's mesh in a temporary folder: the certificates, and the bootstrap with
 * which a user can start a second sidecar. The program contains the certificates and their keys, so
 * they protect nothing, and the demo listens only on loopback.
 */
@AnyThread
final class DemoFiles implements AutoCloseable {
  static final String ROOT = "root";
  static final String GREETER = "greeter";
  static final String ORDERS = "orders";
  static final String BILLING = "billing";
  private static final List<String> ALL = List.of(ROOT, GREETER, ORDERS, BILLING);

  private final Path folder;

  DemoFiles() throws IOException {
    folder = Files.createTempDirectory("outrigger-demo");
    for (String name : ALL) {
      Files.writeString(file(name), text(name + ".pem"));
    }
  }

  static String text(String file) throws IOException {
    try (InputStream content = DemoFiles.class.getResourceAsStream("/demo/" + file)) {
      return new String(Objects.requireNonNull(content).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Returns the PEM file with the certificate and the key of a program of the mesh. */
  Path file(String name) {
    return folder.resolve(name + ".pem");
  }

  Path writeBootstrap(String text) throws IOException {
    return Files.writeString(bootstrap(), text);
  }

  private Path bootstrap() {
    return folder.resolve("bootstrap.json");
  }

  /** Returns the JSON of the sidecar's certificate provider, for the bootstrap. */
  String provider() {
    return """
        {"default": {"plugin_name": "file_watcher", "config": {"certificate_file": "%1$s",
          "private_key_file": "%1$s", "ca_certificate_file": "%2$s"}}}
        """
        .formatted(file(GREETER), file(ROOT));
  }

  @Override
  public void close() throws IOException {
    for (String name : ALL) {
      Files.deleteIfExists(file(name));
    }
    Files.deleteIfExists(bootstrap());
    Files.delete(folder);
  }
}
