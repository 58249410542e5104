package io.outrigger.config.bootstrap;

import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /** Replaces the generated {@code equals}, whose first call delays the process by milliseconds. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof XdsServer that
        && uri.equals(that.uri)
        && credentials.equals(that.credentials)
        && callCredentials.equals(that.callCredentials)
        && features.equals(that.features);
  }

  @Override
  public int hashCode() {
    return uri.hashCode();
  }

  public boolean isUnixSocket() {
    return uri.startsWith("unix:");
  }

  public sealed interface ChannelCredentials {
    record Insecure() implements ChannelCredentials {}

    /** TLS that trusts the roots in {@code files}; without such roots, the system's roots (A65). */
    record Tls(CertificateFiles files) implements ChannelCredentials {}

    /** TLS with the system's roots, and a token of Google's application default credentials. */
    record GoogleDefault() implements ChannelCredentials {}
  }

  /** The call credentials {@code jwt_token_file} (A97). */
  public record CallCredentials(String jwtTokenFile) {}
}
