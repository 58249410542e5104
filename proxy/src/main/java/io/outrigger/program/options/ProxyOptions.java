package io.outrigger.program.options;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.dataplane.calls.Measuring;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.serve.ServeSettings;
import io.outrigger.http2.EventLoops.TransportKind;
import io.outrigger.xds.kubernetes.ApiAccess;
import io.outrigger.xds.kubernetes.ServicePort;
import io.outrigger.xds.local.OverlayFiles;
import io.outrigger.xds.local.ResourceFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * All options of {@code outrigger run}, read and validated.
 *
 * @param source contains the configuration; empty if the bootstrap is missing or invalid
 * @param lookup reads the configuration again, because files may appear after the start
 * @param overlays lists the files and folders of local policy, in order of precedence
 * @param state contains the settings of {@code --state}; empty when resources are not stored
 * @param kubernetes contains the access to the API server; empty without a {@code k8s:///} target
 * @param settings maps {@link Flag#key} to the flag's value, for display: a number, a boolean, a
 *     text or a list of texts. Flags without a value are absent
 */
public record ProxyOptions(
    Optional<ConfigSource> source,
    SourceLookup lookup,
    List<Path> overlays,
    OverlayFiles overlay,
    Optional<State> state,
    List<ForwardSpec> forwards,
    Optional<KubernetesAccess> kubernetes,
    Serving serving,
    Servers servers,
    int threads,
    TransportKind transport,
    Connections connections,
    Limits limits,
    Routing routing,
    Drain drain,
    Optional<AccessLog> accessLog,
    Measurement measurement,
    Logging logging,
    Map<String, Object> settings) {
  public ProxyOptions {
    settings = Collections.unmodifiableMap(new TreeMap<>(settings));
    overlays = List.copyOf(overlays);
    forwards = List.copyOf(forwards);
  }

  public List<ClusterSource.Dns> dnsNames() {
    return targets(Target.Dns.class).map(Target.Dns::name).toList();
  }

  public List<ServicePort> kubernetesServices() {
    return targets(Target.Kubernetes.class).map(Target.Kubernetes::port).toList();
  }

  private <T extends Target> Stream<T> targets(Class<T> kind) {
    return forwards.stream().map(ForwardSpec::target).filter(kind::isInstance).map(kind::cast);
  }

  /**
   * @param zone is the zone of this process, for topology aware routing
   */
  public record KubernetesAccess(ApiAccess api, Optional<String> zone) {}

  /**
   * @param bootstrap is the given bootstrap, or else the default bootstrap. With static resources,
   *     the only server of the bootstrap is {@link #STATIC_SERVER}. If a target or a served address
   *     needs a control plane, the bootstrap has at least one server
   * @param bootstrapOrigin the flag or variable that names the bootstrap, for the log; empty
   *     without a bootstrap
   * @param warnings has one line for each warning about the bootstrap or the flags
   * @param resources lists the paths of static resources that replace the control plane; empty with
   *     a control plane
   * @param files contains the static resources, which {@link SourceLookup#check} validates
   */
  public record ConfigSource(
      Bootstrap bootstrap,
      Optional<String> bootstrapOrigin,
      List<String> warnings,
      List<Path> resources,
      ResourceFiles files) {
    /** The name of the xDS server that admin views and metrics show for resources from files. */
    public static final String STATIC_SERVER = "resources";

    public ConfigSource {
      warnings = List.copyOf(warnings);
      resources = List.copyOf(resources);
    }

    /** Whether files replace the control plane. */
    public boolean isStatic() {
      return !resources.isEmpty();
    }
  }

  /**
   * The settings of {@code --state}, which stores resources for a start without a control plane.
   *
   * @param after is the time that a start waits for a control plane before it uses this state
   */
  public record State(Path folder, Duration after, Duration maxAge) {}

  public record Serving(List<ServeSpec> serves, ServeSettings settings) {
    public Serving {
      serves = List.copyOf(serves);
    }
  }

  /** The addresses of the admin and health servers; empty for each server that is off. */
  public record Servers(
      Optional<ListenAddress.Tcp> admin,
      Optional<ListenAddress.Tcp> adminGrpc,
      Optional<ListenAddress.Tcp> health) {}

  /**
   * @param aggregatesDecide whether the load-balancing policy of an aggregate cluster replaces the
   *     policies of its leaf clusters (A75 "GRPC_XDS_AGGREGATE_CLUSTER_BACKWARD_COMPAT")
   * @param dnsRefresh the interval in which the names of {@code dns:///} targets are looked up
   *     again; zero means only when a connection is lost
   */
  public record Routing(
      boolean aggregatesDecide,
      boolean ignoreRouteTimeout,
      AuthorityMode authority,
      Duration dnsRefresh) {}

  /**
   * @param leftOutLabels the optional labels that are left out of all metrics
   * @param otlp is the endpoint of the collector; empty when OTLP is off
   */
  public record Measurement(Measuring calls, Set<String> leftOutLabels, Optional<String> otlp) {
    public Measurement {
      leftOutLabels = Set.copyOf(leftOutLabels);
    }
  }

  /**
   * The time limits of connections. Zero disables the idle timeout or keepalive.
   *
   * @param frameTimeout the time in which a peer must end a frame or header block that it has begun
   * @param unreadTimeout the time after which a peer that reads none of the data sent to it is
   *     disconnected
   */
  public record Connections(
      Duration connectTimeout,
      Duration idleTimeout,
      Duration keepaliveTime,
      Duration keepaliveTimeout,
      Duration frameTimeout,
      Duration unreadTimeout) {}

  /** Limits of requests, header bytes, connections, memory and targets (CONTRACT section 2). */
  public record Limits(
      int maxConcurrentStreams,
      int maxHeaderBytes,
      int maxConnections,
      long maxMemoryBytes,
      int maxQueuedRequests,
      int maxTargets) {}

  /**
   * The limits of a shutdown: the time in which requests are still accepted, and the time in which
   * open requests may then finish.
   */
  public record Drain(Duration delay, Duration timeout) {}

  public sealed interface AccessLog {
    record Stdout() implements AccessLog {}

    record ToFile(Path path) implements AccessLog {}
  }

  public record Logging(Level level, Format format) {
    public static final Logging DEFAULT = new Logging(Level.INFO, Format.TEXT);

    public enum Level {
      TRACE,
      DEBUG,
      INFO,
      WARN,
      ERROR,
      OFF
    }

    public enum Format {
      TEXT,
      JSON
    }
  }
}
