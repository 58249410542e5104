package io.outrigger.lb.subchannel;

import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.OneTimer;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.Connector;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The innermost subchannel, which nodes of the tree wrap. The subchannel connects to one address on
 * request; the connector may add further connections (A105).
 *
 * <pre>
 * IDLE              -> CONNECTING        on requestConnection
 * CONNECTING        -> READY             when the transport is ready; back-off is reset
 * CONNECTING        -> TRANSIENT_FAILURE when the attempt failed; back-off counts from its start
 * TRANSIENT_FAILURE -> IDLE              when the back-off has elapsed
 * READY             -> IDLE              when the transport is closed or gets GOAWAY
 * CONNECTING        -> TRANSIENT_FAILURE at once, while the pause after broken connections lasts
 * any               -> closed            on close; no state is reported any more
 * </pre>
 *
 * <p>A subchannel never reconnects by itself. The connector limits the duration of an attempt
 * (SC-50).
 *
 * <p>READY resets the back-off. With this back-off alone, a backend that accepts and then closes
 * every connection would be tried without a pause. Therefore, the start of the next attempt also
 * depends on how the last connection ended (decision lb-0026). After a connection that served
 * calls, the next attempt starts immediately, whatever the connection's age. After a connection
 * that ended gracefully before any call, the next attempt starts at least {@link #UNUSED_GAP} after
 * the start of the previous attempt; until then, the subchannel is CONNECTING. If two or more
 * connections in a row each break in their first second, a separate back-off applies until a
 * connection serves calls or lives longer than a second.
 */
@ControlConfined
public final class ManagedSubchannel implements Subchannel {
  /** The age up to which a broken connection is short-lived; equals the first back-off delay. */
  static final Duration SHORT_LIFE = Duration.ofSeconds(1); // decision lb-0026

  /**
   * The minimum time between the starts of two attempts, if the connection of the first attempt
   * ended gracefully before any call.
   */
  static final Duration UNUSED_GAP = Duration.ofMillis(100); // decision lb-0026

  private final ControlLoop control;
  private final Connector connector;
  private final Backend backend;
  private final EndpointAddress address;
  private final Subchannel.Listener listener;
  private final Backoff backoff;
  private final Backoff brokenBackoff;

  private Connectivity state = Connectivity.IDLE;
  private @Nullable Connection connection;

  /**
   * The last attempt, if it failed. A failed attempt is kept until the next attempt begins: it may
   * still report that the cause of its failure is removed.
   */
  private @Nullable Connection failed;

  /** The timer that ends a back-off, or a wait before an attempt. */
  private final OneTimer timer;

  private boolean lastWasShortLived;
  private int maxConnections = 1;
  private @Nullable Pause pause;
  private boolean closed;

  /**
   * A pause before the next attempt, which lasts until {@code untilNanos} and depends on how the
   * last connection ended.
   *
   * @param failure the status with which calls fail during the pause; null if calls wait instead
   */
  private record Pause(long untilNanos, @Nullable RpcStatus failure) {}

  /** The transport, which event loops read; present only in state READY. */
  private volatile @Nullable Transport transport;

  /** Creates a subchannel in state IDLE to an address of a backend. */
  public ManagedSubchannel(
      ControlLoop control,
      Connector connector,
      RandomSource random,
      Backend backend,
      EndpointAddress address,
      Subchannel.Listener listener) {
    this.control = control;
    this.connector = connector;
    this.backend = backend;
    this.address = address;
    this.listener = listener;
    this.timer = new OneTimer(control);
    this.backoff = new Backoff(random);
    this.brokenBackoff = new Backoff(random);
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public EndpointAddress address() {
    return address;
  }

  @Override
  public @Nullable Transport transport() {
    return transport;
  }

  @Override
  public void callEnded(PickContext call, CallOutcome outcome) {
    // The nodes that count calls wrap this subchannel (decision lb-0001).
  }

  @Override
  public void requestConnection() {
    control.checkInside();
    if (closed || state != Connectivity.IDLE) {
      return;
    }
    var next = new Connection();
    connection = next;
    Pause current = pause;
    pause = null;
    long wait = current == null ? 0 : current.untilNanos() - control.nanoTime();
    if (current == null || wait <= 0) {
      next.connect();
    } else if (current.failure() != null) {
      RpcStatus reason = current.failure();
      control.execute(() -> next.onPaused(current.untilNanos(), reason)); // connectors post it too
    } else {
      timer.start(Duration.ofNanos(wait), next::connect);
    }
    setState(Connectivity.CONNECTING, RpcStatus.OK);
  }

  @Override
  public void close() {
    control.checkInside();
    if (closed) {
      return;
    }
    closed = true;
    transport = null;
    timer.stop();
    Connection last = connection;
    connection = null;
    if (last != null && last.attempt != null) {
      last.attempt.close();
    }
    closeFailed();
  }

  /** Closes the failed attempt, so that it does not call onRemedied() any more. */
  private void closeFailed() {
    if (failed != null && failed.attempt != null) {
      failed.attempt.close();
    }
    failed = null;
  }

  @Override
  public void limitConnections(long max) {
    control.checkInside();
    maxConnections = (int) Math.min(max, Integer.MAX_VALUE);
    if (connection != null && connection.attempt != null) {
      connection.attempt.limitConnections(maxConnections);
    }
  }

  private void setState(Connectivity next, RpcStatus reason) {
    state = next;
    listener.onState(next, reason);
  }

  private void onBackoffElapsed() {
    setState(Connectivity.IDLE, RpcStatus.OK);
  }

  private final class Connection implements Connector.Listener {
    private long startedNanos;
    private Connector.@Nullable Attempt attempt;
    private long readyNanos;

    void connect() {
      startedNanos = control.nanoTime();
      closeFailed();
      attempt = connector.connect(address, maxConnections, this);
    }

    @Override
    public void onStarted() {
      startedNanos = control.nanoTime();
    }

    @Override
    public void onReady(Transport ready) {
      control.checkInside();
      if (connection != this) {
        return; // the subchannel was closed before the attempt
      }
      if (state != Connectivity.CONNECTING) {
        throw new IllegalStateException(address + ": ready while " + state);
      }
      backoff.reset();
      readyNanos = control.nanoTime();
      transport = ready;
      setState(Connectivity.READY, RpcStatus.OK);
    }

    @Override
    public void onClosed(RpcStatus reason, Connector.Ending ending) {
      control.checkInside();
      if (connection != this) {
        return; // the subchannel was closed before the connection
      }
      connection = null;
      transport = null;
      if (state == Connectivity.READY) {
        onReadyEnded(ending, reason);
        setState(Connectivity.IDLE, RpcStatus.OK);
        return;
      }
      Duration sinceStart = Duration.ofNanos(control.nanoTime() - startedNanos);
      failed = this;
      fail(backoff.next().minus(sinceStart), reason);
    }

    @Override
    public void onRemedied() {
      control.checkInside();
      if (failed == this && state == Connectivity.TRANSIENT_FAILURE && timer.isRunning()) {
        timer.stop();
        backoff.reset();
        onBackoffElapsed();
      }
    }

    @Override
    public void onConnection(ConnectionEvent event) {
      control.checkInside();
      if (!closed) {
        listener.onConnection(event);
      }
    }

    /**
     * Decides after the end of a connection whether the next attempt must wait. A single broken
     * connection causes no wait, because the server may have restarted.
     */
    private void onReadyEnded(Connector.Ending ending, RpcStatus reason) {
      switch (ending) {
        case SERVED -> resetBrokenBackoff();
        case UNUSED -> pause = new Pause(startedNanos + UNUSED_GAP.toNanos(), null);
        case BROKEN -> {
          if (control.nanoTime() - readyNanos >= SHORT_LIFE.toNanos()) {
            resetBrokenBackoff();
          } else {
            onShortLived(reason);
          }
        }
      }
    }

    private void resetBrokenBackoff() {
      brokenBackoff.reset();
      lastWasShortLived = false;
    }

    private void onShortLived(RpcStatus reason) {
      if (lastWasShortLived) {
        RpcStatus failure = reason.withPrefix("ends as soon as it is made");
        pause = new Pause(startedNanos + brokenBackoff.next().toNanos(), failure);
      }
      lastWasShortLived = true;
    }

    /** Fails an attempt that was not started because the pause still lasts. */
    void onPaused(long untilNanos, RpcStatus reason) {
      if (connection == this) {
        connection = null;
        fail(Duration.ofNanos(untilNanos - control.nanoTime()), reason);
      }
    }
  }

  private void fail(Duration delay, RpcStatus reason) {
    timer.start(delay, this::onBackoffElapsed);
    setState(Connectivity.TRANSIENT_FAILURE, reason.withPrefix(address.toString()));
  }
}
