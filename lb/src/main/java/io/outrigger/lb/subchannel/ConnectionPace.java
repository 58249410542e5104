package io.outrigger.lb.subchannel;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Connector;
import io.outrigger.lb.Transport;
import io.outrigger.lb.state.ConnectionEvent;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many connection attempts of all targets run at the same time (decision lb-0050).
 * Without this limit, a policy that connects to all of its endpoints starts thousands of attempts
 * at once, and calls would wait until nearly all connections are made.
 *
 * <p>Clusters with waiting calls have precedence over other clusters. Within each of these two
 * groups, clusters take turns and start one attempt per turn. An attempt counts against the limit
 * until its connection is ready or the attempt has failed, but at most for {@link #PATIENCE}, so
 * that addresses that never answer do not delay other attempts.
 */
@ControlConfined
public final class ConnectionPace {
  /** The limit of running attempts per event loop. */
  public static final int PER_LOOP = 16;

  /** The maximum time for which an attempt counts; most handshakes in a data centre are faster. */
  static final Duration PATIENCE = Duration.ofMillis(20);

  private final ControlLoop control;
  private final int limit;

  /** Clusters with waiting calls and queued attempts, in the order of their turns. */
  private final Set<OfCluster> awaited = new LinkedHashSet<>();

  private final Set<OfCluster> others = new LinkedHashSet<>();

  /** The attempts that count against the limit, in the order in which they started. */
  private final Set<PacedAttempt> underWay = new LinkedHashSet<>();

  private @Nullable TimerHandle timer;

  /**
   * @param limit the number of attempts that may run at the same time, at least 1
   */
  public ConnectionPace(ControlLoop control, int limit) {
    this.control = control;
    this.limit = limit;
  }

  /**
   * Returns a connector that starts the attempts of {@code connector}, the connector of a target,
   * within the limit. Any thread may call this method.
   */
  public Connector of(Connector connector) {
    return new OfCluster(connector);
  }

  private boolean hasRoom() {
    return underWay.size() < limit;
  }

  /**
   * Posts a task that starts queued attempts, because a caller that closes several attempts may be
   * about to close the next queued attempt too.
   */
  private void admitLater() {
    if (isWaitedFor()) {
      control.execute(this::admit);
    }
  }

  private void admit() {
    while (hasRoom() && isWaitedFor()) {
      (awaited.isEmpty() ? others : awaited).iterator().next().beginOne();
    }
    watch();
  }

  private boolean isWaitedFor() {
    return !awaited.isEmpty() || !others.isEmpty();
  }

  /**
   * While attempts are queued, sets a timer for the moment at which the oldest running attempt
   * exceeds {@link #PATIENCE} and stops counting against the limit.
   */
  private void watch() {
    if (timer == null && isWaitedFor()) {
      long age = control.nanoTime() - underWay.iterator().next().begunNanos;
      timer = control.schedule(PATIENCE.minusNanos(age), this::onPatienceOver);
    }
  }

  private void onPatienceOver() {
    timer = null;
    long limitNanos = control.nanoTime() - PATIENCE.toNanos();
    underWay.removeIf(attempt -> attempt.begunNanos - limitNanos <= 0);
    admit();
  }

  private final class OfCluster implements Connector {
    private final Connector cluster;
    private final Set<PacedAttempt> waiting = new LinkedHashSet<>();
    private boolean isAwaited;

    OfCluster(Connector cluster) {
      this.cluster = cluster;
    }

    @Override
    public Connector ofCluster(String name) {
      return new OfCluster(cluster.ofCluster(name));
    }

    @Override
    public Connector ofEndpoint(EndpointAddress endpoint) {
      Connector ofEndpoint = cluster.ofEndpoint(endpoint);
      return (address, maxConnections, listener) ->
          begin(new PacedAttempt(this, ofEndpoint, address, maxConnections, listener));
    }

    @Override
    public Attempt connect(EndpointAddress address, int maxConnections, Listener listener) {
      return begin(new PacedAttempt(this, cluster, address, maxConnections, listener));
    }

    private Attempt begin(PacedAttempt attempt) {
      control.checkInside();
      if (hasRoom()) {
        attempt.begin();
      } else {
        waiting.add(attempt);
        group().add(this);
        watch();
      }
      return attempt;
    }

    @Override
    public void onAwaited() {
      control.checkInside();
      setAwaited(true);
    }

    /** Sets whether the cluster has precedence. */
    void setAwaited(boolean next) {
      if (isAwaited != next) {
        group().remove(this);
        isAwaited = next;
        if (!waiting.isEmpty()) {
          group().add(this);
        }
      }
    }

    private Set<OfCluster> group() {
      return isAwaited ? awaited : others;
    }

    /**
     * Starts the cluster's oldest queued attempt. If the cluster has more attempts, the other
     * clusters of the group come before it.
     */
    void beginOne() {
      PacedAttempt attempt = waiting.iterator().next();
      waiting.remove(attempt);
      group().remove(this);
      if (!waiting.isEmpty()) {
        group().add(this);
      }
      attempt.listener.onBegun();
      attempt.begin();
    }

    void giveUp(PacedAttempt attempt) {
      waiting.remove(attempt);
      if (waiting.isEmpty()) {
        group().remove(this);
      }
    }
  }

  private final class PacedAttempt implements Connector.Attempt, Connector.Listener {
    private final OfCluster cluster;
    private final Connector connector;
    private final EndpointAddress address;
    private final Connector.Listener listener;
    private int maxConnections;
    private Connector.@Nullable Attempt attempt;
    private long begunNanos;

    PacedAttempt(
        OfCluster cluster,
        Connector connector,
        EndpointAddress address,
        int maxConnections,
        Connector.Listener listener) {
      this.cluster = cluster;
      this.connector = connector;
      this.address = address;
      this.maxConnections = maxConnections;
      this.listener = listener;
    }

    void begin() {
      begunNanos = control.nanoTime();
      underWay.add(this);
      attempt = connector.connect(address, maxConnections, this);
    }

    @Override
    public void close() {
      control.checkInside();
      if (attempt == null) {
        cluster.giveUp(this);
      } else {
        attempt.close();
        underWay.remove(this);
        admitLater();
      }
    }

    @Override
    public void limitConnections(int max) {
      maxConnections = max;
      if (attempt != null) {
        attempt.limitConnections(max);
      }
    }

    @Override
    public void onReady(Transport transport) {
      underWay.remove(this);
      cluster.setAwaited(false); // until onAwaited is called again for a waiting call
      listener.onReady(transport);
      admit();
    }

    @Override
    public void onClosed(RpcStatus reason, Connector.Ending ending) {
      underWay.remove(this);
      listener.onClosed(reason, ending);
      admit();
    }

    @Override
    public void onRemedied() {
      listener.onRemedied();
    }

    @Override
    public void onConnection(ConnectionEvent event) {
      listener.onConnection(event);
    }
  }
}
