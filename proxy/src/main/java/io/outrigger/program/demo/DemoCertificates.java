package io.outrigger.program.demo;

import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The certificates of the demo's mesh, as files in a temporary folder. They are part of the
 * program, with their keys, so they protect nothing; the demo listens on loopback alone.
 */
@AnyThread
final class DemoCertificates implements AutoCloseable {
  static final String ROOT = "root";
  static final String GREETER = "greeter";
  static final String ORDERS = "orders";
  static final String BILLING = "billing";
  private static final List<String> ALL = List.of(ROOT, GREETER, ORDERS, BILLING);

  private final Path folder;

  /** Writes the files. */
  DemoCertificates() throws IOException {
    folder = Files.createTempDirectory("outrigger-demo");
    for (String name : ALL) {
      try (InputStream content =
          DemoCertificates.class.getResourceAsStream("/demo/" + name + ".pem")) {
        Files.copy(Objects.requireNonNull(content), file(name));
      }
    }
  }

  /** Returns the file with the certificate of a program of the mesh, and with its key. */
  Path file(String name) {
    return folder.resolve(name + ".pem");
  }

  /** Returns the certificate provider of the sidecar, for its bootstrap. */
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
    Files.delete(folder);
  }
}
