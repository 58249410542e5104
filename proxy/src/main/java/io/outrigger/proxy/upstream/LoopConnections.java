package io.outrigger.proxy.upstream;

import io.outrigger.base.Backoff;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.lb.ConnectionEvent;
import io.outrigger.proxy.forward.StreamWaiter;
import io.outrigger.proxy.http2.Http2Stream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections of a transport, and the calls that wait for a stream on them (A105
 * "Subchannel Behavior", decision 0005).
 *
 * <p>A call goes to the oldest connection that admits a stream, or else waits; calls that wait are
 * served in order whenever a connection may have room. While any waits, and none has room, the loop
 * makes itself another connection: the first by right, further ones as far as the limit allows all
 * loops together, one attempt at a time.
 *
 * <p>What happens when the attempt or the connection ends depends on what is left to the loop. With
 * others, it goes on with these, and attempts follow gRPC's back-off. With none, a failed attempt
 * is the transport's failure, and so is a connection that ended before it served while calls wait:
 * balancing looks elsewhere, and waits before it tries again. A connection that did serve is made
 * anew.
 */
@LoopConfined
final class LoopConnections implements LoopConnection.Owner {
  /** How soon a loop looks again for a connection that the others can spare. */
  static final Duration SPARE_CHECK = Duration.ofMillis(100);

  private final UpstreamTransport transport;
  private final Dialer dialer;
  private final UpstreamSettings settings;
  private final Backoff backoff = new Backoff(RandomSource.SYSTEM);
  private final Set<StreamWaiter> waiters = new LinkedHashSet<>();

  /** READY, oldest first. */
  private final List<LoopConnection> established = new ArrayList<>(1);

  private @Nullable LoopConnection attempt;
  private @Nullable Future<?> pause;

  /** Connections beyond the first, as far as the transport knows. */
  private int spares;

  LoopConnections(UpstreamTransport transport, Dialer dialer, UpstreamSettings settings) {
    this.transport = transport;
    this.dialer = dialer;
    this.settings = settings;
  }

  /** Gives {@code waiter} a stream now, or in its turn. */
  boolean open(StreamWaiter waiter) {
    if (waiters.isEmpty()) {
      Http2Stream stream = openFor(waiter);
      if (stream != null) {
        waiter.onOpened(stream);
        return true;
      }
    }
    waiters.add(waiter);
    grow();
    return true;
  }

  void forget(StreamWaiter waiter) {
    waiters.remove(waiter);
  }

  /** Makes the connection with which the transport begins. */
  void connect() {
    if (!transport.isClosed()) { // else closed while this was on its way
      dial();
    }
  }

  /** The limit was raised: what had to wait for another loop need not. */
  void onLimitRaised() {
    endPause();
    grow();
  }

  /** Leaves connections beyond the first that have nothing to do: another loop is short of one. */
  void yieldSpares() {
    for (int i = established.size() - 1; i > 0 && waiters.isEmpty(); i--) {
      if (established.get(i).isUnused()) {
        leave(established.get(i));
      }
    }
  }

  /** The transport is closed: turns waiting calls away, lets open streams finish. */
  void leave(String reason) {
    endPause();
    if (attempt != null) {
      attempt.leave();
      attempt = null;
    }
    established.forEach(
        connection -> {
          connection.leave();
          transport.tell(ConnectionEvent.Lost.NOT_NEEDED);
        });
    established.clear();
    turnAway(reason);
  }

  private void turnAway(String reason) {
    while (!waiters.isEmpty()) {
      StreamWaiter waiter = waiters.iterator().next();
      waiters.remove(waiter);
      waiter.onNotOpened(reason);
    }
  }

  private @Nullable Http2Stream openFor(StreamWaiter waiter) {
    for (int i = 0; i < established.size(); i++) { // the oldest first
      Http2Stream stream = established.get(i).openFor(waiter);
      if (stream != null) {
        return stream;
      }
    }
    return null;
  }

  /** Serves those who wait, in order, as far as backends admit (SC-36); then sees to more room. */
  private void serve() {
    while (!waiters.isEmpty()) {
      StreamWaiter waiter = waiters.iterator().next();
      Http2Stream stream = openFor(waiter);
      if (stream == null) {
        grow();
        return;
      }
      waiters.remove(waiter);
      waiter.onOpened(stream);
    }
  }

  /** Starts an attempt if calls wait in vain and nothing forbids it. */
  private void grow() {
    if (waiters.isEmpty() || attempt != null || pause != null || transport.isClosed()) {
      return;
    }
    if (established.isEmpty()) {
      dial();
    } else if (transport.takeSpare()) {
      spares++;
      dial();
    } else if (transport.spares() > spares) {
      transport.askForSpares(this);
      pauseFor(SPARE_CHECK);
    }
  }

  private void dial() {
    var next = new LoopConnection(this, dialer, settings);
    attempt = next;
    next.dial();
  }

  private void pauseFor(Duration delay) {
    pause =
        dialer.after(
            delay,
            () -> {
              pause = null;
              grow();
            });
  }

  private void endPause() {
    if (pause != null) {
      pause.cancel(false);
      pause = null;
    }
  }

  /** Tells the transport how many connections beyond the first there still are. */
  private void returnSpares() {
    int used = Math.max(0, established.size() + (attempt == null ? 0 : 1) - 1);
    while (spares > used) {
      spares--;
      transport.returnSpare();
    }
  }

  private void leave(LoopConnection connection) {
    if (transport.mayLeaveOne()) {
      established.remove(connection);
      returnSpares();
      connection.leave();
      transport.tell(ConnectionEvent.Lost.NOT_NEEDED);
    }
  }

  @Override
  public void onReady(LoopConnection connection) {
    attempt = null;
    backoff.reset();
    established.add(connection);
    transport.onEstablished();
    serve();
  }

  @Override
  public void onGone(LoopConnection connection, String reason) {
    boolean wasAttempt = connection == attempt;
    transport.tell(
        wasAttempt ? new ConnectionEvent.Failed() : new ConnectionEvent.Lost(connection.error()));
    if (wasAttempt) {
      attempt = null;
    } else {
      established.remove(connection);
    }
    returnSpares();
    if (wasAttempt) {
      onAttemptFailed(reason);
    } else if (transport.onLost() == 0 || endsUnused(connection)) {
      transport.onEnd("connection ended: " + reason);
    } else {
      if (established.isEmpty()) {
        endPause(); // that was for further connections
      }
      serve();
    }
  }

  /** Making it anew for those who wait might go on for ever; balancing waits before it does. */
  private boolean endsUnused(LoopConnection connection) {
    return established.isEmpty() && !connection.hasServed() && !waiters.isEmpty();
  }

  private void onAttemptFailed(String reason) {
    if (established.isEmpty()) {
      transport.onEnd(reason);
    } else {
      endPause();
      pauseFor(backoff.next()); // A105 "Backoff Behavior and Connectivity State"
    }
  }

  @Override
  public void onCapacity(LoopConnection connection) {
    serve();
  }

  @Override
  public void onIdle(LoopConnection connection) {
    leave(connection);
  }
}
