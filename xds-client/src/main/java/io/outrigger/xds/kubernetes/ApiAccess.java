package io.outrigger.xds.kubernetes;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.identity.certificate.CredentialFile;
import io.outrigger.identity.certificate.UnusableFile;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/**
 * The address of an API server, and the credentials of the caller. The files of credentials are
 * read again for each request, because Kubernetes replaces them.
 *
 * @param server an https or http URI without a query; an http server gets credentials only if it
 *     runs on this machine
 * @param roots the trusted certificate authorities; empty for the roots of the system
 * @param chain the caller's certificate chain; empty if and only if {@code key} is empty
 */
public record ApiAccess(
    URI server,
    Optional<Source> roots,
    Optional<Source> token,
    Optional<Source> chain,
    Optional<Source> key) {
  private static final String FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount/";
  private static final String HOST = "KUBERNETES_SERVICE_HOST";
  private static final String PORT = "KUBERNETES_SERVICE_PORT";

  @FunctionalInterface
  public interface Source {
    CredentialFile read() throws UnusableFile;
  }

  /**
   * Returns the access of the pod's service account.
   *
   * @throws IllegalArgumentException with the reason if this process does not run in a pod
   */
  public static ApiAccess ofPod(Map<String, String> environment) {
    String host = environment.getOrDefault(HOST, "");
    String port = environment.getOrDefault(PORT, "443");
    if (host.isEmpty()) {
      throw new IllegalArgumentException(
          HOST
              + " is not set, so this is no pod of a cluster; outside of a cluster give"
              + " --kubeconfig FILE");
    }
    boolean isIp6 = host.contains(":") && !host.startsWith("[");
    try {
      URI server = URI.create("https://" + (isIp6 ? "[" + host + "]" : host) + ":" + port);
      if (server.getHost() != null && EndpointAddress.isPort(server.getPort())) {
        return new ApiAccess(
            server,
            Optional.of(inFile("ca.crt", FOLDER + "ca.crt")),
            Optional.of(inFile("token", FOLDER + "token")),
            Optional.empty(),
            Optional.empty());
      }
    } catch (IllegalArgumentException invalid) {
      // Ignored, because the exception that is thrown next reports the failure.
    }
    throw new IllegalArgumentException(
        "%s and %s, \"%s\" and \"%s\", are no host and port".formatted(HOST, PORT, host, port));
  }

  static Source inFile(String field, String path) {
    return () -> CredentialFile.read(field, path);
  }
}
