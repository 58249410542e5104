package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.dataplane.downstream.ListenAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * All that {@code outrigger run} was told, read and validated: a program that gets one has no more
 * questions to the user.
 *
 * @param source empty while the bootstrap is waited for
 * @param lookup finds the source anew
 * @param overlays files and folders of local policy, in the order in which it counts
 * @param admin empty when switched off
 * @param adminGrpc empty when switched off
 * @param health where probes and metrics alone are served; empty when switched off
 * @param aggregatesDecide the policy of an aggregate cluster is that of its leaves (A75
 *     "GRPC_XDS_AGGREGATE_CLUSTER_BACKWARD_COMPAT")
 * @param ignoreRouteTimeout leave {@code timeout} and {@code max_grpc_timeout} out of account
 * @param decisionHeader lower case; which header asks for {@code x-outrigger-decision}
 * @param metricMethods such as {@code pkg.Service/Method}: those that metrics tell apart
 * @param metricsExperimental that are measured though they are off by default
 * @param metricLocality whether metrics of attempts tell localities apart (A78)
 * @param otlp where traces and metrics go; empty when switched off
 */
@AnyThread
public record ProxyOptions(
    Optional<ConfigSource> source,
    SourceLookup lookup,
    List<Path> overlays,
    List<ForwardSpec> forwards,
    Optional<ListenAddress.Tcp> admin,
    Optional<ListenAddress.Tcp> adminGrpc,
    Optional<ListenAddress.Tcp> health,
    int threads,
    Transport transport,
    Connections connections,
    Limits limits,
    boolean aggregatesDecide,
    boolean ignoreRouteTimeout,
    AuthorityMode authority,
    Drain drain,
    AccessLog accessLog,
    Optional<String> decisionHeader,
    Set<String> metricMethods,
    Set<ExperimentalMetric> metricsExperimental,
    boolean metricLocality,
    Logging logging,
    Optional<String> otlp) {
  public ProxyOptions {
    overlays = List.copyOf(overlays);
    forwards = List.copyOf(forwards);
    metricMethods = Set.copyOf(metricMethods);
    metricsExperimental = Set.copyOf(metricsExperimental);
  }

  /** The names to which {@code dns:///} targets lead. */
  public List<ClusterSource.StrictDns> dnsNames() {
    return forwards.stream()
        .map(ForwardSpec::target)
        .filter(DnsTarget.class::isInstance)
        .map(target -> ((DnsTarget) target).name())
        .toList();
  }

  /**
   * Where configuration comes from.
   *
   * @param bootstrap the one that was given, else a plain one; with static resources it has exactly
   *     one server, {@link #STATIC_SERVER}, and where nobody asks a control plane none
   * @param bootstrapOrigin who named the bootstrap, for the log; empty when there is none
   * @param warnings what to look at in the bootstrap, one line each
   * @param resources static resources in place of a control plane; empty for a control plane
   */
  public record ConfigSource(
      Bootstrap bootstrap,
      Optional<String> bootstrapOrigin,
      List<String> warnings,
      List<Path> resources) {
    /** The URI of the only server when resources come from files. */
    public static final String STATIC_SERVER = "resources";

    public ConfigSource {
      warnings = List.copyOf(warnings);
      resources = List.copyOf(resources);
    }

    /** Whether files stand in for the control plane. */
    public boolean isStatic() {
      return !resources.isEmpty();
    }
  }

  /** How sockets are driven. */
  public enum Transport {
    AUTO,
    /** Accepted for old command lines, and the same as {@link #AUTO}. */
    IO_URING,
    EPOLL,
    NIO
  }

  /**
   * Life of connections; an idle timeout or keepalive time of zero means never.
   *
   * @param frameTimeout in which a peer must end a frame or header block that it has begun
   * @param unreadTimeout after which a peer that takes nothing of what was sent to it is given up
   */
  public record Connections(
      Duration connectTimeout,
      Duration idleTimeout,
      Duration keepaliveTime,
      Duration keepaliveTimeout,
      Duration frameTimeout,
      Duration unreadTimeout) {}

  /** What the local side may use; past it requests are refused. */
  public record Limits(
      int maxConcurrentStreams,
      int maxHeaderBytes,
      int maxConnections,
      long maxMemoryBytes,
      int maxQueuedRequests,
      int maxTargets) {}

  /** The {@code :authority} sent upstream and matched against virtual hosts. */
  public sealed interface AuthorityMode {
    /** The target's. */
    record OfTarget() implements AuthorityMode {}

    /** The app's own. */
    record Preserve() implements AuthorityMode {}

    /** Always the same. */
    record Fixed(String text) implements AuthorityMode {}
  }

  /** How long an end may take: first still accepting, then only finishing. */
  public record Drain(Duration delay, Duration timeout) {}

  /** One JSON line a request. */
  public sealed interface AccessLog {
    /** None. */
    record Off() implements AccessLog {}

    /** To stdout. */
    record Stdout() implements AccessLog {}

    /** Appended to a file. */
    record ToFile(Path path) implements AccessLog {}
  }

  /** The log on stderr. */
  public record Logging(Level level, Format format) {
    public static final Logging DEFAULT = new Logging(Level.INFO, Format.TEXT);

    /** From all to nothing. */
    public enum Level {
      TRACE,
      DEBUG,
      INFO,
      WARN,
      ERROR,
      OFF
    }

    /** One line an event, for people or for programs. */
    public enum Format {
      TEXT,
      JSON
    }
  }
}
