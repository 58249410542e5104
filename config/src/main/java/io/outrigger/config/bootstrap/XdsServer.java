package io.outrigger.config.bootstrap;

import java.util.List;

/**
 * The address, credentials and features of one control plane.
 *
 * @param uri a gRPC target: {@code host:port}, {@code dns:///…} or {@code unix:///…}
 */
public record XdsServer(
    String uri,
    ChannelCredentials credentials,
    List<CallCredentials> callCredentials,
    ServerFeatures features) {
  public XdsServer {
    callCredentials = List.copyOf(callCredentials);
  }

  public boolean isUnixSocket() {
    return uri.startsWith("unix:");
  }

  public sealed interface ChannelCredentials {
    /** The channel is not secured and uses plain text. */
    record Insecure() implements ChannelCredentials {}

    /** TLS, with the system's roots when {@code files} name no roots (A65). */
    record Tls(CertificateFiles files) implements ChannelCredentials {}

    /** TLS with the system's roots, and a token from Google's application default credentials. */
    record GoogleDefault() implements ChannelCredentials {}
  }

  /** The call credentials {@code jwt_token_file} (A97). */
  public record CallCredentials(String jwtTokenFile) {}
}
