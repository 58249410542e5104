package io.outrigger.config.cluster;

import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Reach;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.tls.UpstreamTls;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A Cluster (A27, A29, A32, A37, A50, A75, A105).
 *
 * @param maxRequests unsigned 32 bit limit of requests in flight (A32)
 * @param maxConnections to each address of an endpoint (A105); unsigned 32 bit, at least 1
 * @param idleTimeout how long a forced session connection lives unused (A75)
 * @param overrideHostStatus which endpoints a session may reach (A55-14)
 * @param httpConnect whether connections go through the proxies that endpoints name (A86)
 * @param tls empty when connections are plain text (A29)
 * @param loadReporting empty when its load is not reported (A27)
 * @param overlay the effect of local policy on it
 */
public record ClusterResource(
    String name,
    ClusterSource source,
    BalancingPolicy policy,
    long maxRequests,
    long maxConnections,
    Optional<OutlierDetection> outlierDetection,
    Duration idleTimeout,
    Set<HealthStatus> overrideHostStatus,
    boolean httpConnect,
    Optional<UpstreamTls> tls,
    Optional<LoadReporting> loadReporting,
    OverlayEffect overlay)
    implements Overlaid {
  /** What {@code lb_policy: ROUND_ROBIN} means (A52-04). */
  public static final BalancingPolicy DEFAULT_POLICY =
      new BalancingPolicy.WrrLocality(new BalancingPolicy.RoundRobin());

  public static final long DEFAULT_MAX_REQUESTS = 1024; // A32-01
  public static final long UNLIMITED = 0xFFFF_FFFFL; // the most that the field can say
  public static final long DEFAULT_MAX_CONNECTIONS = 1; // A105-01
  public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofHours(1); // A75-40

  public ClusterResource {
    overrideHostStatus = Set.copyOf(overrideHostStatus);
  }

  /** A cluster as the control plane sent it. */
  public ClusterResource(
      String name,
      ClusterSource source,
      BalancingPolicy policy,
      long maxRequests,
      long maxConnections,
      Optional<OutlierDetection> outlierDetection,
      Duration idleTimeout,
      Set<HealthStatus> overrideHostStatus,
      boolean httpConnect,
      Optional<UpstreamTls> tls,
      Optional<LoadReporting> loadReporting) {
    this(
        name,
        source,
        policy,
        maxRequests,
        maxConnections,
        outlierDetection,
        idleTimeout,
        overrideHostStatus,
        httpConnect,
        tls,
        loadReporting,
        OverlayEffect.NONE);
  }

  /**
   * A cluster whose endpoints are connected to directly and in plain text, and whose load is not
   * reported.
   */
  public ClusterResource(
      String name,
      ClusterSource source,
      BalancingPolicy policy,
      long maxRequests,
      long maxConnections,
      Optional<OutlierDetection> outlierDetection,
      Duration idleTimeout,
      Set<HealthStatus> overrideHostStatus) {
    this(
        name,
        source,
        policy,
        maxRequests,
        maxConnections,
        outlierDetection,
        idleTimeout,
        overrideHostStatus,
        false,
        Optional.empty(),
        Optional.empty());
  }

  /** The way to the endpoints. */
  public Reach reach() {
    return new Reach(httpConnect, tls);
  }

  /** The same with another policy. */
  public ClusterResource balanced(BalancingPolicy other) {
    return with(other, tls, overlay);
  }

  /** The same cluster, reached by TLS. */
  public ClusterResource securedBy(UpstreamTls settings) {
    return with(policy, Optional.of(settings), overlay);
  }

  /** The same cluster with {@code effect} as the effect of local policy. */
  public ClusterResource overlaid(OverlayEffect effect) {
    return with(policy, tls, effect);
  }

  private ClusterResource with(
      BalancingPolicy newPolicy, Optional<UpstreamTls> newTls, OverlayEffect newOverlay) {
    return new ClusterResource(
        name,
        source,
        newPolicy,
        maxRequests,
        maxConnections,
        outlierDetection,
        idleTimeout,
        overrideHostStatus,
        httpConnect,
        newTls,
        loadReporting,
        newOverlay);
  }

  @Override
  public ClusterResource forTarget(String target) {
    return this;
  }

  @Override
  public void visitEffects(BiConsumer<String, OverlayEffect> visitor) {
    if (!overlay.equals(OverlayEffect.NONE)) {
      visitor.accept(name, overlay);
    }
  }
}
