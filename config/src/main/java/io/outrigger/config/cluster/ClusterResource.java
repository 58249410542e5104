package io.outrigger.config.cluster;

import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.TransportSettings;
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
 * @param loadReporting empty when the load of the cluster is not reported (A27)
 */
public record ClusterResource(
    String name,
    ClusterSource source,
    BalancingPolicy policy,
    Limits limits,
    Optional<OutlierDetection> outlierDetection,
    Sessions sessions,
    TransportSettings transport,
    Optional<LoadReporting> loadReporting,
    OverlayEffect overlay)
    implements Overlaid {
  /** The policy of a cluster whose {@code lb_policy} is {@code ROUND_ROBIN} (A52-04). */
  public static final BalancingPolicy DEFAULT_POLICY =
      new BalancingPolicy.WrrLocality(new BalancingPolicy.RoundRobin());

  public static final long UNLIMITED = 0xFFFF_FFFFL; // the largest uint32
  public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofHours(1); // A75-40

  /**
   * The limits of requests and connections, as unsigned 32-bit numbers.
   *
   * @param maxRequests the limit of requests in flight (A32)
   * @param maxConnections the limit of connections per endpoint address (A105), at least 1
   */
  public record Limits(long maxRequests, long maxConnections) {
    public static final Limits DEFAULT = new Limits(1024, 1); // A32-01, A105-01

    /** The largest limit of connections that a control plane can set (A105 "Configuration"). */
    public static final long CONNECTIONS_CAP = 10;
  }

  /**
   * The settings of session affinity.
   *
   * @param idleTimeout the idle time after which a connection that is kept only for sessions is
   *     closed (A75)
   * @param overrideHostStatus the health statuses of the endpoints that sessions may use (A55-14)
   */
  public record Sessions(Duration idleTimeout, Set<HealthStatus> overrideHostStatus) {
    public Sessions {
      overrideHostStatus = Set.copyOf(overrideHostStatus);
    }
  }

  public ClusterResource(
      String name,
      ClusterSource source,
      BalancingPolicy policy,
      Limits limits,
      Optional<OutlierDetection> outlierDetection,
      Sessions sessions) {
    this(
        name,
        source,
        policy,
        limits,
        outlierDetection,
        sessions,
        TransportSettings.PLAIN,
        Optional.empty(),
        OverlayEffect.NONE);
  }

  public ClusterResource balanced(BalancingPolicy other) {
    return with(other, transport, overlay);
  }

  public ClusterResource securedBy(UpstreamTls settings) {
    var secured = new TransportSettings(transport.httpConnect(), Optional.of(settings));
    return with(policy, secured, overlay);
  }

  public ClusterResource overlaid(OverlayEffect effect) {
    return with(policy, transport, effect);
  }

  private ClusterResource with(
      BalancingPolicy newPolicy, TransportSettings newTransport, OverlayEffect newOverlay) {
    return new ClusterResource(
        name,
        source,
        newPolicy,
        limits,
        outlierDetection,
        sessions,
        newTransport,
        loadReporting,
        newOverlay);
  }

  @Override
  public void visitEffects(BiConsumer<String, OverlayEffect> visitor) {
    if (!overlay.matched().isEmpty()) {
      visitor.accept(name, overlay);
    }
  }
}
