package io.outrigger.config.bootstrap;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A parsed gRPC xDS bootstrap (A27, A47, A71, A95).
 *
 * @param servers control planes in order of fall-back; none only where nobody asks for any
 * @param listenerNameTemplate {@code client_default_listener_resource_name_template}
 * @param authorities by name (A47)
 * @param certificateProviders by instance name (A29)
 */
public record Bootstrap(
    List<XdsServer> servers,
    Node node,
    Map<String, Authority> authorities,
    Map<String, CertificateProvider> certificateProviders,
    String listenerNameTemplate) {
  public Bootstrap {
    servers = List.copyOf(servers);
    authorities = Map.copyOf(authorities);
    certificateProviders = Map.copyOf(certificateProviders);
  }

  /** The same node, asking {@code server} alone. */
  public Bootstrap servedBy(XdsServer server) {
    return new Bootstrap(
        List.of(server), node, Map.of(), certificateProviders, listenerNameTemplate);
  }

  /** Every control plane once, those of authorities last. */
  public List<XdsServer> allServers() {
    return Stream.concat(
            servers.stream(),
            authorities.values().stream().flatMap(authority -> authority.servers().stream()))
        .distinct()
        .toList();
  }

  /**
   * An authority of xdstp names; without servers of its own it uses the top-level ones.
   *
   * @param fallbackOnReachabilityOnly whether the next server is used as soon as those before it
   *     cannot be reached, even when every resource is known (A95)
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
    /** What people call the plugin. */
    String plugin();

    /** {@code file_watcher}. */
    record FileWatcher(CertificateFiles files) implements CertificateProvider {
      static final String PLUGIN = "file_watcher";

      @Override
      public String plugin() {
        return PLUGIN;
      }
    }

    /**
     * {@code spiffe_workload_api}, a plugin of ours.
     *
     * @param endpoint empty: that of the environment ({@link WorkloadEndpoint#VARIABLE})
     */
    record WorkloadApi(Optional<WorkloadEndpoint> endpoint) implements CertificateProvider {
      static final String PLUGIN = "spiffe_workload_api";

      @Override
      public String plugin() {
        return PLUGIN;
      }
    }

    /** A plugin that is not known here: an error only where a cluster names the instance. */
    record Unknown(String plugin) implements CertificateProvider {}
  }
}
