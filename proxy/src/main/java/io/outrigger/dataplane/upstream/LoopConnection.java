package io.outrigger.dataplane.upstream;

import io.netty.channel.Channel;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.OneTimer;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.forward.CallTransport;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsHandshake;
import io.outrigger.dataplane.tls.TlsPeer;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.Connector.Ending;
import io.outrigger.lb.state.ConnectionEvent;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One connection of an event loop to a backend.
 *
 * <pre>
 * OPENING -> READY  on SETTINGS from the backend
 * OPENING -> GONE   on failure, on timeout, on leave
 * READY   -> GONE   on end or GOAWAY, on leave: no more streams; open streams finish
 * </pre>
 *
 * <p>{@link LoopConnections} is notified of READY and of GONE, but not after {@link #leave}.
 */
@LoopConfined
final class LoopConnection implements ConnectionHandler, TlsHandshake.Listener {
  /** The debug data of a GOAWAY because of too many PINGs (A8 "Server Enforcement"). */
  private static final String TOO_MANY_PINGS = "too_many_pings";

  private enum State {
    OPENING,
    READY,
    GONE
  }

  private final LoopConnections owner;
  private final Dialer dialer;

  /** The timer that limits the time to connect and, in state READY, starts the idle checks. */
  private final OneTimer timer;

  private State state = State.OPENING;
  private @Nullable Channel channel;
  private @Nullable Http2Connection socket;
  private Runnable removeFromViews = () -> {};
  private @Nullable TlsPeer peer;
  private @Nullable TlsContext initialTls;
  private String error = "unknown";
  private Ending ending = Ending.BROKEN;
  private boolean served;
  private boolean usedSinceCheck;

  /** The keepalive settings; null when keepalive is off. */
  private UpstreamSettings.@Nullable KeepAlive keepAlive;

  LoopConnection(LoopConnections owner, Dialer dialer) {
    this.owner = owner;
    this.dialer = dialer;
    timer = new OneTimer(dialer);
  }

  void dial() {
    Duration limit = dialer.settings().connectTimeout();
    initialTls = owner.transport.tls();
    timer.start(limit, () -> fail(timeoutReason(limit)));
    channel = dialer.dial(initialTls, this::handlerOf, this, this::fail);
  }

  @Override
  public void onHandshaken(TlsPeer known) {
    peer = known;
    report(HandshakeResult.SUCCESS);
  }

  @Override
  public void onFailed(HandshakeResult result, String reason) {
    if (state == State.OPENING) { // otherwise the attempt was cancelled
      report(result);
    }
    fail(reason);
  }

  /** Reports the result of the TLS handshake (A118). */
  private void report(HandshakeResult result) {
    owner.transport.report(new ConnectionEvent.Handshaken(result));
  }

  private String timeoutReason(Duration limit) {
    if (channel != null && TlsHandshake.isUnderWay(channel)) {
      report(HandshakeResult.HANDSHAKE_TIMEOUT);
      return "TLS handshake timed out after " + limit.toMillis() + "ms";
    }
    return "no SETTINGS within " + limit.toMillis() + "ms";
  }

  /** The peer of the TLS handshake; null for plain text. */
  @Nullable TlsPeer peer() {
    return peer;
  }

  /** Accepts no more streams if the TLS context no longer trusts the peer; open streams finish. */
  void onTls(TlsContext context) {
    Http2Connection open = socket;
    if (state == State.READY && peer != null && open != null) {
      context
          .objection(peer)
          .ifPresent(
              reason -> {
                gone(reason, disconnectError(reason), true);
                open.drain();
              });
    }
  }

  private ConnectionHandler handlerOf(Http2Connection created) {
    socket = created;
    return this;
  }

  /** Whether as many streams are open on this connection as the backend admits. */
  boolean isAtStreamLimit() {
    return socket != null && socket.isAtStreamLimit();
  }

  /** Opens a stream for a waiting call; null when no stream can be opened now. */
  @Nullable Http2Stream openFor(CallTransport.Waiter waiter) {
    Http2Stream stream = state == State.READY && socket != null ? socket.openStream(waiter) : null;
    served |= stream != null;
    usedSinceCheck |= stream != null;
    return stream;
  }

  /** How the connection ended; valid only in state GONE. */
  Ending ending() {
    return ending;
  }

  /** The value of {@code grpc.disconnect_error} (A94); valid only in state GONE. */
  String error() {
    return error;
  }

  boolean isUnused() {
    return socket == null || socket.activeStreams() == 0;
  }

  /** Accepts no more streams, and closes the connection when its open streams have finished. */
  void leave() {
    boolean ready = state == State.READY;
    state = State.GONE;
    if (ready && socket != null) {
      timer.stop();
      socket.drain();
    } else {
      close();
    }
  }

  private void fail(String reason) {
    gone(reason);
    close();
  }

  private void close() {
    timer.stop();
    if (channel != null && channel.isRegistered()) { // otherwise the socket was never opened
      var unused = channel.close();
    }
  }

  private void gone(String reason) {
    gone(reason, disconnectError(reason), false);
  }

  private void gone(String reason, String disconnectError, boolean isGraceful) {
    timer.stop();
    if (state != State.GONE) {
      state = State.GONE;
      error = disconnectError;
      ending = endingOf(isGraceful);
      owner.onGone(this, reason);
    }
  }

  /** Maps the reason for the end of a connection to a {@code grpc.disconnect_error} (A94). */
  static String disconnectError(String reason) {
    String text = reason.toLowerCase(Locale.ROOT);
    if (text.contains("reset by peer") || text.contains("econnreset")) {
      return "connection reset";
    }
    if (text.contains("timed out") || text.startsWith("keepalive")) {
      return "connection timed out";
    }
    if (text.contains("connection abort")) {
      return "connection aborted";
    }
    return text.startsWith("socket error") || text.contains("broken pipe")
        ? "socket error"
        : "unknown";
  }

  private Ending endingOf(boolean isGraceful) {
    if (socket != null && (socket.hasAnswered() || (isGraceful && !isUnused()))) {
      return Ending.SERVED;
    }
    return isGraceful && !served ? Ending.UNUSED : Ending.BROKEN;
  }

  @Override
  public void onReady() {
    Http2Connection ready = socket;
    if (state != State.OPENING || ready == null) {
      close(); // the attempt was cancelled
      return;
    }
    Optional<String> objection = objectionAfterHandshake();
    if (objection.isPresent()) {
      fail(objection.get());
      return;
    }
    state = State.READY;
    removeFromViews = dialer.addToViews(ready);
    timer.stop();
    keepAlive = dialer.keepAlive().current().orElse(null);
    if (keepAlive != null) {
      ready.keepAlive(keepAlive.time(), keepAlive.timeout());
    }
    watchIdleness();
    owner.onReady(this);
  }

  /**
   * Returns why the peer is no longer trusted if the certificates have changed during the handshake
   * (A29-18); otherwise empty.
   */
  private Optional<String> objectionAfterHandshake() {
    TlsContext now = owner.transport.tls();
    return peer == null || now == null || now == initialTls
        ? Optional.empty()
        : now.objection(peer);
  }

  private void watchIdleness() {
    Duration idle = dialer.settings().idleTimeout();
    if (!idle.isZero()) {
      timer.start(idle, this::onIdleCheck);
    }
  }

  private void onIdleCheck() {
    if (state != State.READY) {
      return;
    }
    if (!usedSinceCheck && isUnused()) {
      owner.onIdle(this);
    }
    usedSinceCheck = false;
    if (state == State.READY) {
      watchIdleness();
    }
  }

  @Override
  public StreamHandler onStream(Http2Stream stream) {
    throw new IllegalStateException("a backend opened a stream"); // the connection forbids pushes
  }

  @Override
  public void onGoAway(int lastStreamId, Http2Error code, String debug) {
    if (keepAlive != null && code == Http2Error.ENHANCE_YOUR_CALM && debug.equals(TOO_MANY_PINGS)) {
      dialer.keepAlive().onTooManyPings(keepAlive, dialer.address());
    }
    String reason = "GOAWAY " + code + (debug.isEmpty() ? "" : " " + debug);
    gone(reason, "GOAWAY " + code, code == Http2Error.NO_ERROR);
  }

  @Override
  public void onCapacity() {
    if (state == State.READY) {
      owner.serve();
    }
  }

  @Override
  public void onEnding(Http2Error error, String reason) {
    dialer.onEnded(error, reason);
    gone(reason);
  }

  @Override
  public void onClosed(String reason) {
    removeFromViews.run();
    gone(reason);
  }
}
