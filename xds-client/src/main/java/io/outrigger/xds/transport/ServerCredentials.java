package io.outrigger.xds.transport;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Insecure;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import java.io.File;
import java.io.IOException;

/** The credentials of a bootstrap in gRPC's terms (A27-02, A65). */
final class ServerCredentials {
  private ServerCredentials() {}

  /**
   * Reads the files that {@code server} names.
   *
   * @throws IllegalArgumentException naming the server, if a file cannot be used
   */
  static ChannelCredentials of(XdsServer server) {
    if (server.credentials() instanceof Insecure) {
      return InsecureChannelCredentials.create();
    }
    if (server.credentials() instanceof Tls tls) {
      try {
        return tls(tls);
      } catch (IOException | IllegalArgumentException unusable) {
        throw new IllegalArgumentException(
            "xds server %s: tls credentials: %s".formatted(server.uri(), unusable.getMessage()),
            unusable);
      }
    }
    throw new AssertionError(server.credentials());
  }

  private static ChannelCredentials tls(Tls tls) throws IOException {
    var credentials = TlsChannelCredentials.newBuilder();
    if (tls.caCertificateFile().isPresent()) {
      credentials.trustManager(new File(tls.caCertificateFile().get()));
    } // else the system's roots
    if (tls.certificateFile().isPresent() != tls.privateKeyFile().isPresent()) {
      throw new IllegalArgumentException("certificate_file and private_key_file go together");
    }
    if (tls.certificateFile().isPresent() && tls.privateKeyFile().isPresent()) {
      credentials.keyManager(
          new File(tls.certificateFile().get()), new File(tls.privateKeyFile().get()));
    }
    return credentials.build();
  }
}
