package io.outrigger.dataplane.upstream;

import io.netty.channel.Channel;
import io.outrigger.base.LoopConfined;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.forward.StreamWaiter;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsHandshake;
import io.outrigger.dataplane.tls.TlsPeer;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.Connector.Ending;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One connection of an event loop to a backend.
 *
 * <pre>
 * OPENING -> READY  on SETTINGS from the backend
 * OPENING -> GONE   on failure, when the time is over, on leave
 * READY   -> GONE   on end or GOAWAY, on leave: no more streams, those that are open finish
 * </pre>
 *
 * Its owner hears of READY, and once of GONE unless the owner left it.
 */
@LoopConfined
final class LoopConnection implements ConnectionHandler {
  /** Who uses the connection; on its loop. */
  interface Owner {
    void onReady(LoopConnection connection);

    /** A TLS handshake is over (A118). */
    void onHandshaken(HandshakeResult result);

    /** {@code connection} takes no more streams; it was READY or its attempt failed. */
    void onGone(LoopConnection connection, String reason);

    /** {@code connection} may take streams again. */
    void onCapacity(LoopConnection connection);

    /** {@code connection} was not used for a whole period: leave it, or keep it. */
    void onIdle(LoopConnection connection);
  }

  /** A8 "Server Enforcement". */
  private static final String TOO_MANY_PINGS = "too_many_pings";

  private enum State {
    OPENING,
    READY,
    GONE
  }

  private final Owner owner;
  private final Dialer dialer;
  private final UpstreamSettings settings;
  private final KeepAliveTime keepAlive;
  private State state = State.OPENING;
  private @Nullable Channel channel;
  private @Nullable Http2Connection socket;
  private @Nullable Future<?> timer;
  private @Nullable Runnable unshow;
  private @Nullable TlsPeer peer;
  private @Nullable TlsContext begunWith;
  private final TlsHandshake.Listener handshake =
      new TlsHandshake.Listener() {
        @Override
        public void onHandshaken(TlsPeer known) {
          peer = known;
          owner.onHandshaken(HandshakeResult.SUCCESS);
        }

        @Override
        public void onFailed(HandshakeResult result, String reason) {
          if (state == State.OPENING) { // else it was given up
            owner.onHandshaken(result);
          }
          giveUp(reason);
        }
      };
  private String error = "unknown";
  private Ending ending = Ending.BROKEN;
  private boolean served;
  private boolean usedLately;

  /** How the connection is probed; null when it is not. */
  private UpstreamSettings.@Nullable KeepAlive probing;

  LoopConnection(Owner owner, Dialer dialer, UpstreamSettings settings, KeepAliveTime keepAlive) {
    this.owner = owner;
    this.dialer = dialer;
    this.settings = settings;
    this.keepAlive = keepAlive;
  }

  void dial() {
    Duration limit = settings.connectTimeout();
    begunWith = dialer.tls();
    timer = dialer.after(limit, () -> giveUp(lackAfter(limit)));
    channel = dialer.dial(this::on, handshake, this::giveUp);
  }

  private String lackAfter(Duration limit) {
    if (channel != null && TlsHandshake.isUnderWay(channel)) {
      owner.onHandshaken(HandshakeResult.HANDSHAKE_TIMEOUT);
      return "TLS handshake timed out after " + limit.toMillis() + "ms";
    }
    return "no SETTINGS within " + limit.toMillis() + "ms";
  }

  /** Who is at the other end; null in plain text. */
  @Nullable TlsPeer peer() {
    return peer;
  }

  /**
   * Ends in order where {@code context} no longer trusts the peer: streams that are open finish.
   */
  void onTls(TlsContext context) {
    Http2Connection open = socket;
    if (state == State.READY && peer != null && open != null) {
      context
          .objection(peer)
          .ifPresent(
              reason -> {
                gone(reason, DisconnectError.of(reason), true);
                open.drain();
              });
    }
  }

  private ConnectionHandler on(Http2Connection made) {
    socket = made;
    return this;
  }

  /** A stream for {@code waiter}; null when the backend admits none now. */
  @Nullable Http2Stream openFor(StreamWaiter waiter) {
    Http2Stream stream = state == State.READY && socket != null ? socket.openStream(waiter) : null;
    served |= stream != null;
    usedLately |= stream != null;
    return stream;
  }

  /** What it was good for; once it is GONE. */
  Ending ending() {
    return ending;
  }

  /** A94's word for why it is GONE. */
  String error() {
    return error;
  }

  /** Whether no stream is open. */
  boolean isUnused() {
    return socket == null || socket.activeStreams() == 0;
  }

  /** Takes no more streams; closes when those that are open have finished. */
  void leave() {
    boolean ready = state == State.READY;
    state = State.GONE;
    if (ready && socket != null) {
      cancelTimer();
      socket.drain();
    } else {
      close();
    }
  }

  private void giveUp(String reason) {
    gone(reason, DisconnectError.of(reason), false);
    close();
  }

  private void close() {
    cancelTimer();
    if (channel != null && channel.isRegistered()) { // else there is no socket
      var unused = channel.close();
    }
  }

  private void gone(String reason, String word, boolean inOrder) {
    cancelTimer();
    if (state != State.GONE) {
      state = State.GONE;
      error = word;
      ending = endingOf(inOrder);
      owner.onGone(this, reason);
    }
  }

  private Ending endingOf(boolean inOrder) {
    if (socket != null && (socket.hasAnswered() || (inOrder && !isUnused()))) {
      return Ending.SERVED;
    }
    return inOrder && !served ? Ending.UNUSED : Ending.BROKEN;
  }

  @Override
  public void onReady() {
    Http2Connection made = socket;
    if (state != State.OPENING || made == null) {
      close(); // it was given up
      return;
    }
    Optional<String> objection = objectionByNow();
    if (objection.isPresent()) {
      giveUp(objection.get());
      return;
    }
    state = State.READY;
    unshow = dialer.show(made);
    cancelTimer();
    probing = keepAlive.current().orElse(null);
    if (probing != null) {
      made.keepAlive(probing.time(), probing.timeout());
    }
    watchIdleness();
    owner.onReady(this);
  }

  /** Certificates may have changed while the handshake was under way (A29-18). */
  private Optional<String> objectionByNow() {
    TlsContext now = dialer.tls();
    return peer == null || now == null || now == begunWith ? Optional.empty() : now.objection(peer);
  }

  private void watchIdleness() {
    if (!settings.idleTimeout().isZero()) {
      timer = dialer.after(settings.idleTimeout(), this::onIdleCheck);
    }
  }

  private void onIdleCheck() {
    if (state != State.READY) {
      return;
    }
    if (!usedLately && isUnused()) {
      owner.onIdle(this);
    }
    usedLately = false;
    if (state == State.READY) {
      watchIdleness();
    }
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
  public void onGoAway(int lastStreamId, Http2Error code, String debug) {
    if (probing != null && code == Http2Error.ENHANCE_YOUR_CALM && debug.equals(TOO_MANY_PINGS)) {
      keepAlive.onTooManyPings(probing, dialer.address());
    }
    String reason = "GOAWAY " + code + (debug.isEmpty() ? "" : " " + debug);
    gone(reason, DisconnectError.ofGoAway(code), code == Http2Error.NO_ERROR);
  }

  @Override
  public void onCapacity() {
    if (state == State.READY) {
      owner.onCapacity(this);
    }
  }

  @Override
  public void onEnding(Http2Error error, String reason) {
    dialer.onEnded(error, reason);
    gone(reason, DisconnectError.of(reason), false);
  }

  @Override
  public void onClosed(String reason) {
    if (unshow != null) {
      unshow.run();
    }
    gone(reason, DisconnectError.of(reason), false);
  }
}
