package io.outrigger.config.bootstrap;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A parsed gRPC xDS bootstrap (A27, A29, A36, A47, A71, A95).
 *
 * @param servers the control planes in order of preference; empty only if the program uses no
 *     control plane
 */
public record Bootstrap(
    List<XdsServer> servers,
    Node node,
    Map<String, Authority> authorities,
    Map<String, CertificateProvider> certificateProviders,
    String listenerNameTemplate,
    Optional<String> serverListenerNameTemplate) {
  public Bootstrap {
    servers = List.copyOf(servers);
    authorities = Map.copyOf(authorities);
    certificateProviders = Map.copyOf(certificateProviders);
  }

  public Bootstrap servedBy(XdsServer server) {
    return new Bootstrap(
        List.of(server),
        node,
        Map.of(),
        certificateProviders,
        listenerNameTemplate,
        serverListenerNameTemplate);
  }

  /**
   * Returns the control planes of an xDS authority in order of preference (A47); without an
   * authority, the top-level servers. Empty if the authority is unknown.
   */
  public List<XdsServer> serversOf(Optional<String> authority) {
    if (authority.isEmpty()) {
      return servers;
    }
    Authority known = authorities.get(authority.get());
    if (known == null) {
      return List.of();
    }
    return known.servers().isEmpty() ? servers : known.servers();
  }

  /** Returns all control planes without duplicates; the servers of authorities come last. */
  public List<XdsServer> allServers() {
    return Stream.concat(
            servers.stream(),
            authorities.values().stream().flatMap(authority -> authority.servers().stream()))
        .distinct()
        .toList();
  }

  /**
   * The settings of an authority of xdstp names. If {@code servers} is empty, the authority uses
   * the top-level servers. {@code fallbackOnReachabilityOnly} is defined in A95.
   */
  public record Authority(
      List<XdsServer> servers,
      Optional<String> listenerNameTemplate,
      boolean fallbackOnReachabilityOnly) {
    public Authority {
      servers = List.copyOf(servers);
    }
  }

  /** An entry of {@code certificate_providers} (A29). */
  public sealed interface CertificateProvider {
    String plugin();

    record FileWatcher(CertificateFiles files) implements CertificateProvider {
      static final String PLUGIN = "file_watcher";

      @Override
      public String plugin() {
        return PLUGIN;
      }
    }

    /**
     * The plugin {@code spiffe_workload_api}, an extension of Outrigger. If {@code endpoint} is
     * empty, the environment variable {@link WorkloadEndpoint#VARIABLE} sets the endpoint.
     */
    record WorkloadApi(Optional<WorkloadEndpoint> endpoint) implements CertificateProvider {
      static final String PLUGIN = "spiffe_workload_api";

      @Override
      public String plugin() {
        return PLUGIN;
      }
    }

    /**
     * The plugin {@code istio_ca}, an extension of Outrigger. The plugin obtains certificates from
     * a CA with istio's certificate service (CONTRACT section 14).
     *
     * @param address the gRPC target of the CA
     * @param rootFile the file of root certificates that verify the CA's server certificate
     * @param tokenFile the file of a service account token for the CA's audience
     * @param clusterId the Kubernetes cluster that issued the token; empty for the CA's cluster
     * @param validity the requested lifetime of certificates
     * @param signer the Kubernetes signer to which the CA passes certificate requests
     */
    record IstioCa(
        String address,
        String rootFile,
        String tokenFile,
        Optional<String> clusterId,
        Duration validity,
        Optional<String> signer,
        String trustDomain)
        implements CertificateProvider {
      static final String PLUGIN = "istio_ca";

      static final String DEFAULT_TRUST_DOMAIN = "cluster.local"; // as in istio

      static final Duration DEFAULT_VALIDITY = Duration.ofHours(24); // as in istio's agent

      @Override
      public String plugin() {
        return PLUGIN;
      }
    }

    /** An unsupported plugin; clusters that name an instance of the plugin are invalid. */
    record Unknown(String plugin) implements CertificateProvider {}
  }
}
