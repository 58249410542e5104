package io.outrigger.config.bootstrap;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A parsed gRPC xDS bootstrap (A27, A47, A71, A95).
 *
 * @param servers the control planes in order of fallback; empty only in a program that uses no
 *     control plane
 * @param listenerNameTemplate {@code client_default_listener_resource_name_template}
 * @param authorities the authorities by name (A47)
 * @param certificateProviders the certificate providers by instance name (A29)
 * @param serverListenerNameTemplate {@code server_listener_resource_name_template} (A36)
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

  /** Returns every control plane once; the control planes of authorities come last. */
  public List<XdsServer> allServers() {
    return Stream.concat(
            servers.stream(),
            authorities.values().stream().flatMap(authority -> authority.servers().stream()))
        .distinct()
        .toList();
  }

  /**
   * The settings of an authority in xdstp names. An authority without servers uses the top-level
   * servers.
   *
   * @param fallbackOnReachabilityOnly whether the next server is used as soon as the servers before
   *     it cannot be reached, even when every resource is known (A95)
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
     * The plugin {@code spiffe_workload_api}, which only Outrigger has.
     *
     * @param endpoint the configured endpoint; empty to use the endpoint in the environment
     *     variable {@link WorkloadEndpoint#VARIABLE}
     */
    record WorkloadApi(Optional<WorkloadEndpoint> endpoint) implements CertificateProvider {
      static final String PLUGIN = "spiffe_workload_api";

      @Override
      public String plugin() {
        return PLUGIN;
      }
    }

    /**
     * The plugin {@code istio_ca}, which only Outrigger has: certificates of a CA that speaks
     * istio's certificate service (CONTRACT section 14).
     *
     * @param address the gRPC target of the CA
     * @param rootFile the roots that vouch for the CA's own certificate
     * @param tokenFile a token of the service account, for the CA's audience
     * @param clusterId the cluster that issued the token; empty for the CA's own cluster
     * @param validity the requested lifetime of certificates
     * @param signer the signer of Kubernetes that the CA hands requests to
     * @param trustDomain the trust domain of the names in requests
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

      static final String DEFAULT_TRUST_DOMAIN = "cluster.local"; // istio's own default

      static final Duration DEFAULT_VALIDITY = Duration.ofHours(24); // as istio's agent requests

      @Override
      public String plugin() {
        return PLUGIN;
      }
    }

    /**
     * A plugin that Outrigger does not support. A cluster that names an instance of such a plugin
     * is invalid; the bootstrap is valid.
     */
    record Unknown(String plugin) implements CertificateProvider {}
  }
}
