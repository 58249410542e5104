package io.outrigger.proxy.upstream;

import io.netty.channel.Channel;
import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.forward.StreamWaiter;
import io.outrigger.proxy.http2.ConnectionHandler;
import io.outrigger.proxy.http2.Http2Error;
import io.outrigger.proxy.http2.Http2Stream;
import io.outrigger.proxy.http2.SocketConnection;
import io.outrigger.proxy.http2.StreamHandler;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connection of a transport, and the calls that wait for a stream on it.
 *
 * <pre>
 * NONE       -> CONNECTING  on start (first connection), on a call that asks (others)
 * CONNECTING -> READY       on SETTINGS from the backend
 * CONNECTING -> NONE        on failure, or when the time is over: the transport ends
 * READY      -> NONE        on end or GOAWAY: the first one ends the transport; another one is made
 *                           anew for calls that wait, if it served any call
 * any        -> NONE        on leave: open streams finish by themselves
 * </pre>
 */
@LoopConfined
final class LoopConnection {
  private final UpstreamTransport transport;
  private final Dialer dialer;
  private final UpstreamSettings settings;
  private final boolean first;
  private final Set<StreamWaiter> waiters = new LinkedHashSet<>();
  private @Nullable Link current;

  LoopConnection(
      UpstreamTransport transport, Dialer dialer, UpstreamSettings settings, boolean first) {
    this.transport = transport;
    this.dialer = dialer;
    this.settings = settings;
    this.first = first;
  }

  /** Gives {@code waiter} a stream now, or in its turn. */
  boolean open(StreamWaiter waiter) {
    Link link = current;
    if (link != null && waiters.isEmpty()) {
      Http2Stream stream = link.openFor(waiter);
      if (stream != null) {
        waiter.onOpened(stream);
        return true;
      }
    }
    waiters.add(waiter);
    if (link == null) {
      connect();
    }
    return true;
  }

  void forget(StreamWaiter waiter) {
    waiters.remove(waiter);
  }

  void connect() {
    if (transport.isClosed()) {
      return; // closed while this was on its way
    }
    var link = new Link();
    current = link;
    link.dial();
  }

  /** The transport is closed: turns waiting calls away, lets open streams finish. */
  void leave(String reason) {
    Link link = current;
    current = null;
    if (link != null) {
      link.leave();
    }
    turnAway(reason);
  }

  private void turnAway(String reason) {
    while (!waiters.isEmpty()) {
      StreamWaiter waiter = waiters.iterator().next();
      waiters.remove(waiter);
      waiter.onNotOpened(reason);
    }
  }

  /** {@code link} takes no more streams. */
  private void onLost(Link link, String reason) {
    if (current != link) {
      return; // it was given up before
    }
    current = null;
    if (!link.ready) {
      transport.onEnd(reason);
    } else if (first || (!link.served && !waiters.isEmpty())) {
      transport.onEnd("connection ended: " + reason); // balancing waits before it tries again
    } else if (!waiters.isEmpty()) {
      connect();
    }
  }

  /** One socket's life. */
  private final class Link implements ConnectionHandler {
    private @Nullable Channel channel;
    private @Nullable SocketConnection connection;
    private @Nullable Future<?> timer;
    private boolean ready;
    private boolean served;
    private boolean usedLately;

    void dial() {
      Duration limit = settings.connectTimeout();
      timer = dialer.after(limit, () -> giveUp("no SETTINGS within " + limit.toMillis() + "ms"));
      channel = dialer.dial(this::on, this::giveUp);
    }

    private ConnectionHandler on(SocketConnection made) {
      connection = made;
      return this;
    }

    private void giveUp(String reason) {
      onLost(this, reason);
      close();
    }

    private void close() {
      cancelTimer();
      if (channel != null && channel.isRegistered()) { // else there is no socket
        var unused = channel.close();
      }
    }

    /** A stream for {@code waiter}; null when the backend admits none now. */
    @Nullable Http2Stream openFor(StreamWaiter waiter) {
      Http2Stream stream = ready && connection != null ? connection.openStream(waiter) : null;
      served |= stream != null;
      usedLately |= stream != null;
      return stream;
    }

    void leave() {
      if (ready && connection != null) {
        cancelTimer();
        connection.drain();
      } else {
        close();
      }
    }

    @Override
    public void onReady() {
      SocketConnection made = connection;
      if (current != this || made == null) {
        close();
        return;
      }
      ready = true;
      cancelTimer();
      settings.keepAlive().ifPresent(k -> made.keepAlive(k.time(), k.timeout()));
      if (first) {
        transport.onFirstReady();
      } else {
        watchIdleness();
      }
      serve();
    }

    /** Gives streams to those who wait, in order, as far as the backend admits (SC-36). */
    private void serve() {
      while (current == this && !waiters.isEmpty()) {
        StreamWaiter waiter = waiters.iterator().next();
        Http2Stream stream = openFor(waiter);
        if (stream == null) {
          return;
        }
        waiters.remove(waiter);
        waiter.onOpened(stream);
      }
    }

    private void watchIdleness() {
      if (!settings.idleTimeout().isZero()) {
        timer = dialer.after(settings.idleTimeout(), this::onIdleCheck);
      }
    }

    /** Closes a connection that nobody used for a whole period. */
    private void onIdleCheck() {
      if (current != this || connection == null) {
        return;
      }
      if (!usedLately && connection.activeStreams() == 0) {
        current = null;
        connection.drain();
        return;
      }
      usedLately = false;
      watchIdleness();
    }

    private void cancelTimer() {
      if (timer != null) {
        timer.cancel(false);
        timer = null;
      }
    }

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      throw new IllegalStateException("a backend opened a stream"); // the connection forbids it
    }

    @Override
    public void onGoAway(int lastStreamId, Http2Error error, String debug) {
      cancelTimer();
      onLost(this, "GOAWAY " + error + (debug.isEmpty() ? "" : " " + debug));
    }

    @Override
    public void onCapacity() {
      serve();
    }

    @Override
    public void onClosed(String reason) {
      cancelTimer();
      onLost(this, reason);
    }
  }
}
