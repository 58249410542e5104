package io.outrigger.endtoend;

import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The certificates of one mesh as files: those of a server and those of the sidecar. */
final class TlsFiles {
  /** Which of the two are of an authority that the other does not know, or of another name. */
  enum Fault {
    NONE,
    STRANGE_SERVER,
    OTHER_NAME,
    STRANGE_CLIENT
  }

  static final String SERVER = "spiffe://mesh/pay";
  static final String CLIENT = "spiffe://mesh/orders";

  private final Path folder;

  /** Writes them to {@code folder}. */
  TlsFiles(Path folder, Fault fault) throws IOException {
    this.folder = folder;
    TestAuthority mesh = TestAuthority.named("mesh root");
    TestAuthority stranger = TestAuthority.named("another root");
    TestIdentity server =
        (fault == Fault.STRANGE_SERVER ? stranger : mesh)
            .issue("uri:" + (fault == Fault.OTHER_NAME ? "spiffe://mesh/billing" : SERVER));
    TestIdentity client = (fault == Fault.STRANGE_CLIENT ? stranger : mesh).issue("uri:" + CLIENT);
    Files.writeString(roots(), mesh.rootPem());
    write("server", server);
    write("client", client);
    Files.writeString(serverPair(), server.chainPem() + server.keyPem());
  }

  private void write(String name, TestIdentity identity) throws IOException {
    Files.writeString(chain(name), identity.chainPem());
    Files.writeString(key(name), identity.keyPem());
  }

  private Path chain(String name) {
    return folder.resolve(name + "-chain.pem");
  }

  private Path key(String name) {
    return folder.resolve(name + "-key.pem");
  }

  Path roots() {
    return folder.resolve("roots.pem");
  }

  Path serverChain() {
    return chain("server");
  }

  Path serverKey() {
    return key("server");
  }

  /** Chain and key in one file. */
  Path serverPair() {
    return folder.resolve("server-pair.pem");
  }

  /** The sidecar's part of a bootstrap. */
  String certificateProviders() {
    return """
        {"default":{"plugin_name":"file_watcher","config":{"certificate_file":"%s",
          "private_key_file":"%s","ca_certificate_file":"%s"}}}"""
        .formatted(chain("client"), key("client"), roots());
  }
}
