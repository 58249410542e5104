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
 * A Cluster resource (A27, A29, A32, A37, A50, A75, A105).
 *
 * @param maxRequests the limit of requests in flight, unsigned 32 bit (A32)
 * @param maxConnections the limit of connections per address of an endpoint (A105); unsigned 32
 *     bit, at least 1
 * @param idleTimeout the time after which an unused connection that only a session requested is
 *     closed (A75)
 * @param overrideHostStatus the health statuses of endpoints to which a session may lead (A55-14)
 * @param httpConnect whether connections go through the HTTP proxies in endpoint metadata (A86)
 * @param tls the TLS settings; empty when connections are plain text (A29)
 * @param loadReporting empty when the load of the cluster is not reported (A27)
 * @param overlay the effect of local policy on the cluster
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
  /** The policy of a cluster whose {@code lb_policy} is {@code ROUND_ROBIN} (A52-04). */
  public static final BalancingPolicy DEFAULT_POLICY =
      new BalancingPolicy.WrrLocality(new BalancingPolicy.RoundRobin());

  public static final long DEFAULT_MAX_REQUESTS = 1024; // A32-01
  public static final long UNLIMITED = 0xFFFF_FFFFL; // the largest value of the field
  public static final long DEFAULT_MAX_CONNECTIONS = 1; // A105-01
  public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofHours(1); // A75-40

  public ClusterResource {
    overrideHostStatus = Set.copyOf(overrideHostStatus);
  }

  /** Creates a cluster as the control plane sent it, without local policy. */
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

  /** Creates a cluster with direct connections in plain text and without load reports. */
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

  /** Returns how connections to the endpoints are made. */
  public Reach reach() {
    return new Reach(httpConnect, tls);
  }

  /** Returns the same cluster with another policy. */
  public ClusterResource balanced(BalancingPolicy other) {
    return with(other, tls, overlay);
  }

  /** Returns the same cluster with connections by TLS. */
  public ClusterResource securedBy(UpstreamTls settings) {
    return with(policy, Optional.of(settings), overlay);
  }

  /** Returns the same cluster with {@code effect} as the effect of local policy. */
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
