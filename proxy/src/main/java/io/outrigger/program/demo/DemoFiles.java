package io.outrigger.program.demo;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The files of the demo's mesh in a temporary folder: the certificates, and the bootstrap with
 * which a user can start a second sidecar. The certificates and their keys are published with the
 * program and protect nothing, so the demo listens only on loopback.
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
    this(Path.of(System.getProperty("java.io.tmpdir")));
  }

  /**
   * @param parent is the folder in which the demo's folder is created
   * @throws IOException with a remedy, when the files cannot be written
   */
  DemoFiles(Path parent) throws IOException {
    try {
      folder = Files.createTempDirectory(parent, "outrigger-demo");
      writeCertificates();
    } catch (IOException e) {
      throw new IOException(
          "cannot write to %s: %s; make the folder writable, or name another in"
                  .formatted(parent, RegularFile.reason(e))
              + " JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=FOLDER",
          e);
    }
  }

  private void writeCertificates() throws IOException {
    try {
      for (String name : ALL) {
        Files.writeString(file(name), text(name + ".pem"));
      }
    } catch (IOException e) {
      try {
        close();
      } catch (IOException left) {
        e.addSuppressed(left);
      }
      throw e;
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
    return Files.writeString(folder.resolve("bootstrap.json"), text);
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
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
