package io.outrigger.config.bootstrap;

import java.util.List;
import java.util.Optional;

/**
 * One control plane.
 *
 * @param uri any gRPC target: {@code host:port}, {@code dns:///…}, {@code unix:///…}
 */
public record XdsServer(
    String uri,
    ChannelCredentials credentials,
    List<CallCredentials> callCredentials,
    ServerFeatures features) {
  public XdsServer {
    callCredentials = List.copyOf(callCredentials);
  }

  /** Whether it is reached through a socket of this machine's file system. */
  public boolean isUnixSocket() {
    return uri.startsWith("unix:");
  }

  /** How the channel to the server is secured. */
  public sealed interface ChannelCredentials {
    /** Plain text. */
    record Insecure() implements ChannelCredentials {}

    /** TLS; system roots when {@code caCertificateFile} is empty (A65). */
    record Tls(
        Optional<String> caCertificateFile,
        Optional<String> certificateFile,
        Optional<String> privateKeyFile,
        java.time.Duration refreshInterval)
        implements ChannelCredentials {
      /** The same files as those of a certificate provider. */
      public CertificateFiles files() {
        return new CertificateFiles(
            certificateFile, privateKeyFile, caCertificateFile, Optional.empty(), refreshInterval);
      }
    }

    /** TLS with the system's roots, and a token of Google's application default credentials. */
    record GoogleDefault() implements ChannelCredentials {}
  }

  /** {@code jwt_token_file} (A97). */
  public record CallCredentials(String jwtTokenFile) {}
}
