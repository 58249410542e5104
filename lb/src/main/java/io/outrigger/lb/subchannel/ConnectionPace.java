package io.outrigger.lb.subchannel;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.OneTimer;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Connector;
import io.outrigger.lb.Transport;
import io.outrigger.lb.state.ConnectionEvent;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many connection attempts of all targets run at the same time (decision lb-0050).
 * Without the limit, a policy that connects to all of its endpoints would immediately start
 * thousands of attempts, and calls would wait until nearly all of these attempts have succeeded.
 *
 * <p>Clusters with waiting calls have precedence over other clusters. Clusters of equal precedence
 * take turns and start one attempt per turn. An attempt counts against the limit until it succeeds
 * or fails, but at most for {@link #MAX_COUNTED_TIME}. Without this time limit, addresses that
 * never answer would delay all attempts. A cluster with waiting calls but without a running attempt
 * may exceed the limit by one attempt. The counted attempts never exceed twice the limit.
 */
@ControlConfined
public final class ConnectionPace {
  /** The number of connection attempts that may run at the same time, per event loop. */
  public static final int PER_LOOP = 16;

  /** Attempts count against the limit at most this long; most data-centre handshakes are faster. */
  static final Duration MAX_COUNTED_TIME = Duration.ofMillis(20);

  private final ControlLoop control;
  private final OneTimer timer;
  private final int maxRunning;

  /** Clusters with waiting calls and queued attempts, in the order of their turns. */
  private final Set<ClusterConnector> urgent = new LinkedHashSet<>();

  private final Set<ClusterConnector> notUrgent = new LinkedHashSet<>();

  /** The attempts that count against the limit, in the order in which they started. */
  private final Set<PacedAttempt> running = new LinkedHashSet<>();

  /**
   * @param maxRunning the number of attempts that may run at the same time, at least 1
   */
  public ConnectionPace(ControlLoop control, int maxRunning) {
    this.control = control;
    this.maxRunning = maxRunning;
    this.timer = new OneTimer(control);
  }

  /**
   * Returns a wrapper of a target's connector; the wrapper starts attempts only within the limit.
   * Any thread may call this method.
   */
  public Connector of(Connector connector) {
    return new ClusterConnector(connector);
  }

  private boolean hasRoom() {
    return running.size() < maxRunning;
  }

  /**
   * Starts queued attempts in a later task, because the caller may be about to close the next
   * queued attempt too.
   */
  private void startQueuedLater() {
    if (hasQueued()) {
      control.execute(this::startQueued);
    }
  }

  private void startQueued() {
    while (hasRoom() && hasQueued()) {
      (urgent.isEmpty() ? notUrgent : urgent).iterator().next().startOldest();
    }
    List.copyOf(urgent).forEach(ClusterConnector::startUrgent);
    startTimer();
  }

  private boolean hasQueued() {
    return !urgent.isEmpty() || !notUrgent.isEmpty();
  }

  /**
   * If attempts are queued, sets a timer that fires when the oldest running attempt has run for
   * {@link #MAX_COUNTED_TIME} and no longer counts.
   */
  private void startTimer() {
    if (!timer.isRunning() && hasQueued()) {
      long age = control.nanoTime() - running.iterator().next().startedNanos;
      timer.start(MAX_COUNTED_TIME.minusNanos(age), this::onTimer);
    }
  }

  private void onTimer() {
    long oldestNanos = control.nanoTime() - MAX_COUNTED_TIME.toNanos();
    for (PacedAttempt attempt : List.copyOf(running)) {
      if (attempt.startedNanos - oldestNanos <= 0) {
        attempt.stopCounting();
      }
    }
    startQueued();
  }

  private final class ClusterConnector implements Connector {
    private final Connector cluster;
    private final Set<PacedAttempt> queued = new LinkedHashSet<>();

    /** The number of attempts of this cluster that count against the limit. */
    private int attempts;

    private boolean isUrgent;

    ClusterConnector(Connector cluster) {
      this.cluster = cluster;
    }

    @Override
    public Connector ofCluster(String name) {
      return new ClusterConnector(cluster.ofCluster(name));
    }

    @Override
    public Connector ofEndpoint(EndpointAddress endpoint) {
      Connector ofEndpoint = cluster.ofEndpoint(endpoint);
      return (address, maxConnections, listener) ->
          start(new PacedAttempt(this, ofEndpoint, address, maxConnections, listener));
    }

    @Override
    public Attempt connect(EndpointAddress address, int maxConnections, Listener listener) {
      return start(new PacedAttempt(this, cluster, address, maxConnections, listener));
    }

    private Attempt start(PacedAttempt attempt) {
      control.checkInside();
      if (hasRoom() || hasUrgentRoom()) {
        attempt.start();
      } else {
        queued.add(attempt);
        group().add(this);
        startTimer();
      }
      return attempt;
    }

    @Override
    public void onCallsWaiting() {
      control.checkInside();
      setUrgent(true);
      startUrgent();
    }

    /** Whether this cluster has waiting calls but no running attempt, and may exceed the limit. */
    private boolean hasUrgentRoom() {
      return isUrgent && attempts == 0 && running.size() < 2 * maxRunning;
    }

    void startUrgent() {
      if (hasUrgentRoom() && !queued.isEmpty()) {
        startOldest();
      }
    }

    /** Sets whether queued attempts of this cluster start before those of non-urgent clusters. */
    void setUrgent(boolean next) {
      if (isUrgent != next) {
        group().remove(this);
        isUrgent = next;
        if (!queued.isEmpty()) {
          group().add(this);
        }
      }
    }

    private Set<ClusterConnector> group() {
      return isUrgent ? urgent : notUrgent;
    }

    /** Starts the cluster's oldest queued attempt, which ends the turn of the cluster. */
    void startOldest() {
      PacedAttempt attempt = queued.iterator().next();
      queued.remove(attempt);
      group().remove(this);
      if (!queued.isEmpty()) {
        group().add(this);
      }
      attempt.listener.onStarted();
      attempt.start();
    }

    void removeQueued(PacedAttempt attempt) {
      queued.remove(attempt);
      if (queued.isEmpty()) {
        group().remove(this);
      }
    }
  }

  private final class PacedAttempt implements Connector.Attempt, Connector.Listener {
    private final ClusterConnector cluster;
    private final Connector connector;
    private final EndpointAddress address;
    private final Connector.Listener listener;
    private int maxConnections;
    private Connector.@Nullable Attempt attempt;
    private long startedNanos;

    PacedAttempt(
        ClusterConnector cluster,
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

    void start() {
      startedNanos = control.nanoTime();
      running.add(this);
      cluster.attempts++;
      attempt = connector.connect(address, maxConnections, this);
    }

    void stopCounting() {
      if (running.remove(this)) {
        cluster.attempts--;
      }
    }

    @Override
    public void close() {
      control.checkInside();
      if (attempt == null) {
        cluster.removeQueued(this);
      } else {
        attempt.close();
        stopCounting();
        startQueuedLater();
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
      stopCounting();
      cluster.setUrgent(false); // until onCallsWaiting is called again for a waiting call
      listener.onReady(transport);
      startQueued();
    }

    @Override
    public void onClosed(RpcStatus reason, Connector.Ending ending) {
      stopCounting();
      listener.onClosed(reason, ending);
      startQueued();
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
