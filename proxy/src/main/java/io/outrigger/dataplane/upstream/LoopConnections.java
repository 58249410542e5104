package io.outrigger.dataplane.upstream;

import io.outrigger.base.Backoff;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.forward.CallTransport;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.http2.Http2Stream;
import io.outrigger.lb.Connector.Ending;
import io.outrigger.lb.state.ConnectionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one transport on one event loop, and the calls that wait for a stream on them
 * (A105 "Subchannel Behavior", decision proxy-0032).
 *
 * <p>A call gets a stream on the oldest connection that admits a stream; otherwise the call waits.
 * Waiting calls are served in order as soon as a connection may have room. While a call waits and
 * no connection has room, the loop opens another connection, one attempt at a time. The first
 * connection of a loop is always allowed; the limit for all loops together applies to further
 * connections.
 *
 * <p>A loop borrows streams of another loop for its calls while it has no connection and its own
 * attempt has failed or takes longer than {@link #BORROW_DELAY}. The loop's own attempts continue
 * with gRPC's back-off. Once an attempt succeeds, the loop serves all its waiting calls itself,
 * including calls that still wait at the other loop. A loop that loses its last connection sends
 * the calls of other loops back.
 *
 * <p>The transport ends with the last connection of all loops, even when attempts are in progress.
 */
@LoopConfined
final class LoopConnections implements RemoteStream.Borrower, RemoteStream.Lender {
  /** The interval at which a loop checks again for a connection that other loops do not need. */
  static final Duration SPARE_CHECK = Duration.ofMillis(100);

  /** A loop whose attempt to connect takes longer than this borrows streams of another loop. */
  static final Duration BORROW_DELAY = Duration.ofMillis(100); // decision proxy-0032

  private final UpstreamTransport transport;
  private final int index;
  private final Dialer dialer;

  /** Delays the next attempt after a failed attempt. */
  private final Backoff backoff = new Backoff(RandomSource.SYSTEM);

  /** Delays the next attempt after a connection broke. */
  private final Backoff reconnectBackoff = new Backoff(RandomSource.SYSTEM);

  private final Set<CallTransport.Waiter> waiters = new LinkedHashSet<>();

  /** The calls that wait for a stream on a connection of another loop, in order of arrival. */
  private final Map<CallTransport.Waiter, RemoteStream> borrowing = new LinkedHashMap<>(0);

  /** The open calls for load reports, which end with the transport. */
  private final Set<ReportCall> reportCalls = new HashSet<>(0);

  /** The connections in state READY, oldest first. */
  private final List<LoopConnection> established = new ArrayList<>(1);

  private @Nullable LoopConnection attempt;
  private @Nullable Future<?> retryTimer;

  /**
   * The timer that runs while calls wait for the first connection; when the timer fires, the calls
   * borrow streams.
   */
  private @Nullable Future<?> borrowTimer;

  private boolean borrows;

  /** Whether this loop has a connection that it can lend; other loops read the field. */
  private volatile boolean lends;

  /** The number of connections beyond the first that this loop has reserved at the transport. */
  private int spares;

  LoopConnections(UpstreamTransport transport, int index, Dialer dialer) {
    this.transport = transport;
    this.index = index;
    this.dialer = dialer;
  }

  /** Gives {@code waiter} a stream now, or queues {@code waiter}. */
  void open(CallTransport.Waiter waiter) {
    Http2Stream stream = waiters.isEmpty() ? openFor(waiter) : null;
    if (stream != null) {
      waiter.onOpened(stream);
    } else {
      waiters.add(waiter);
      grow();
    }
  }

  @Override
  public void forget(CallTransport.Waiter waiter) {
    waiters.remove(waiter);
    RemoteStream stream = borrowing.remove(waiter);
    if (stream != null) {
      stream.cancel();
    }
  }

  /** Opens a stream for {@code call}; returns false when the transport is closed. */
  boolean openReportCall(ReportCall call) {
    if (transport.isClosed()) {
      return false;
    }
    reportCalls.add(call);
    open(call);
    return true;
  }

  void onReportCallEnded(ReportCall call) {
    reportCalls.remove(call);
  }

  /** Opens the first connection of the transport. */
  void connect() {
    if (!transport.isClosed()) { // otherwise it was closed before this task ran
      dial();
    }
  }

  /**
   * Called when the maximum of connections was raised: waiting calls no longer depend on another
   * loop's connections.
   */
  void onLimitRaised() {
    cancelRetryTimer();
    grow();
  }

  /**
   * Called when certificates have changed: connections to peers that are no longer trusted are
   * replaced.
   */
  void onTls(TlsContext context) {
    List.copyOf(established).forEach(connection -> connection.onTls(context));
  }

  /** Closes unused connections beyond the first because another loop needs a connection. */
  void yieldSpares() {
    for (int i = established.size() - 1; i > 0 && waiters.isEmpty(); i--) {
      if (established.get(i).isUnused()) {
        leave(established.get(i));
      }
    }
  }

  /** Called when the transport is closed: fails waiting calls and lets open streams finish. */
  void leave() {
    List.copyOf(reportCalls).forEach(ReportCall::cancel);
    lends = false;
    cancelRetryTimer();
    cancelBorrowTimer();
    if (attempt != null) {
      attempt.leave();
      attempt = null;
    }
    established.forEach(
        connection -> {
          connection.leave();
          transport.report(ConnectionEvent.Lost.NOT_NEEDED);
        });
    established.clear();
    takeBack();
    while (!waiters.isEmpty()) {
      CallTransport.Waiter waiter = waiters.iterator().next();
      waiters.remove(waiter);
      waiter.onNotOpened();
    }
  }

  private @Nullable Http2Stream openFor(CallTransport.Waiter waiter) {
    for (int i = 0; i < established.size(); i++) { // the oldest first
      Http2Stream stream = established.get(i).openFor(waiter);
      if (stream != null) {
        return stream;
      }
    }
    return null;
  }

  /**
   * Opens streams for waiting calls, in order, as far as backends admit streams (SC-36). If calls
   * still wait, opens or borrows a connection. Called when a connection may accept streams again.
   */
  void serve() {
    while (!waiters.isEmpty()) {
      CallTransport.Waiter waiter = waiters.iterator().next();
      Http2Stream stream = openFor(waiter);
      if (stream == null) {
        grow();
        return;
      }
      waiters.remove(waiter);
      waiter.onOpened(stream);
    }
  }

  /** Opens or borrows a connection when calls wait. */
  private void grow() {
    if (waiters.isEmpty() || transport.isClosed()) {
      return;
    }
    boolean mayDial = attempt == null && retryTimer == null;
    if (established.isEmpty()) {
      if (mayDial) {
        dial();
      }
      borrowAfterDelay();
    } else if (mayDial) {
      growFurther();
    }
  }

  /**
   * Opens a further connection when each connection has as many streams as the backend admits
   * (A105). If a stream cannot be opened for another reason, such as cancelled requests that the
   * backend has not read, the loop waits instead.
   */
  private void growFurther() {
    if (!established.stream().allMatch(LoopConnection::isAtStreamLimit)) {
      return; // onCapacity follows
    }
    if (transport.takeSpare()) {
      spares++;
      dial();
    } else if (transport.spares() > spares) {
      transport.requestSpares();
      retryAfter(SPARE_CHECK);
    }
  }

  private void borrowAfterDelay() {
    if (borrows) {
      borrow();
    } else if (borrowTimer == null) {
      borrowTimer =
          dialer.after(
              BORROW_DELAY,
              () -> {
                borrowTimer = null;
                borrows = established.isEmpty();
                grow();
              });
    }
  }

  /** Moves all waiting calls to a loop that has a connection. */
  private void borrow() {
    LoopConnections lender = transport.lenderFor(index);
    if (lender == null) {
      return; // the transport is about to end, or will call onLenderReady
    }
    for (CallTransport.Waiter waiter : List.copyOf(waiters)) {
      waiters.remove(waiter);
      var stream = new RemoteStream(this, waiter, dialer.loop(), lender, lender.dialer.loop());
      borrowing.put(waiter, stream);
      stream.request();
    }
  }

  /** Moves the calls that wait at another loop to the front of this loop's queue. */
  private void takeBack() {
    if (!borrowing.isEmpty()) {
      List<CallTransport.Waiter> back = new ArrayList<>(borrowing.keySet());
      borrowing.values().forEach(RemoteStream::cancel);
      borrowing.clear();
      back.addAll(waiters);
      waiters.clear();
      waiters.addAll(back);
    }
  }

  /**
   * Called when another loop has a connection after {@link UpstreamTransport#lenderFor} found no
   * lender.
   */
  void onLenderReady() {
    if (borrows && established.isEmpty()) {
      grow();
    }
  }

  @Override
  public void onLent(CallTransport.Waiter waiter) {
    borrowing.remove(waiter);
  }

  @Override
  public void onNotLent(CallTransport.Waiter waiter) {
    borrowing.remove(waiter);
    if (transport.isClosed()) {
      waiter.onNotOpened();
    } else {
      open(waiter);
    }
  }

  /** Whether calls of other loops may borrow streams here; called on any loop. */
  boolean lends() {
    return lends;
  }

  @Override
  public void lend(RemoteStream.Owner waiter) {
    if (lends) {
      open(waiter);
    } else {
      waiter.onNotOpened();
    }
  }

  private void sendBorrowersBack() {
    for (CallTransport.Waiter waiter : List.copyOf(waiters)) {
      if (waiter instanceof RemoteStream.Owner) {
        waiters.remove(waiter);
        waiter.onNotOpened();
      }
    }
  }

  private void dial() {
    var next = new LoopConnection(this, dialer);
    attempt = next;
    next.dial();
  }

  private void retryAfter(Duration delay) {
    retryTimer =
        dialer.after(
            delay,
            () -> {
              retryTimer = null;
              grow();
            });
  }

  private void cancelRetryTimer() {
    if (retryTimer != null) {
      retryTimer.cancel(false);
      retryTimer = null;
    }
  }

  private void cancelBorrowTimer() {
    if (borrowTimer != null) {
      borrowTimer.cancel(false);
      borrowTimer = null;
    }
  }

  /** Returns the reservations of connections beyond the first that this loop no longer uses. */
  private void returnSpares() {
    int used = Math.max(0, established.size() + (attempt == null ? 0 : 1) - 1);
    while (spares > used) {
      spares--;
      transport.returnSpare();
    }
  }

  private void leave(LoopConnection connection) {
    if (transport.mayLeaveOne()) {
      remove(connection);
      returnSpares();
      connection.leave();
      transport.report(ConnectionEvent.Lost.NOT_NEEDED);
    }
  }

  private void remove(LoopConnection connection) {
    established.remove(connection);
    lends = !established.isEmpty();
  }

  // Events of connections.

  /** The TLS context for a connection that is opened now; null for plain text. */
  @Nullable TlsContext currentTls() {
    return transport.tls();
  }

  /** Called when a TLS handshake has succeeded or failed (A118). */
  void onHandshaken(HandshakeResult result) {
    transport.report(new ConnectionEvent.Handshaken(result));
  }

  void onReady(LoopConnection connection) {
    attempt = null;
    if (connection.peer() != null) {
      transport.onPeer(connection.peer());
    }
    backoff.reset();
    established.add(connection);
    lends = true;
    borrows = false;
    cancelBorrowTimer();
    transport.onEstablished();
    takeBack();
    serve();
  }

  /**
   * Called when {@code connection} accepts no more streams, after it was READY or its attempt has
   * failed.
   */
  void onGone(LoopConnection connection, String reason) {
    if (connection == attempt) {
      attempt = null;
      transport.report(new ConnectionEvent.Failed());
      returnSpares();
      onAttemptFailed(reason);
    } else {
      remove(connection);
      transport.report(new ConnectionEvent.Lost(connection.error()));
      returnSpares();
      onEnded(connection.ending(), "connection ended: " + reason);
    }
  }

  private void onEnded(Ending ending, String reason) {
    if (transport.onLost(ending) == 0) {
      transport.onEnd(reason, ending);
      return;
    }
    if (established.isEmpty()) {
      cancelRetryTimer(); // the delay was for further connections
      sendBorrowersBack();
    }
    if (ending == Ending.SERVED) {
      reconnectBackoff.reset();
    } else if (ending == Ending.BROKEN) { // reconnecting at once might never stop
      borrows = established.isEmpty();
      cancelRetryTimer();
      retryAfter(reconnectBackoff.next());
    }
    serve();
  }

  private void onAttemptFailed(String reason) {
    if (transport.established() == 0) {
      transport.onEnd(reason, Ending.BROKEN);
      return;
    }
    borrows = established.isEmpty();
    cancelRetryTimer();
    retryAfter(backoff.next()); // A105 "Backoff Behavior and Connectivity State"
    grow();
  }

  /** Called when {@code connection} was not used for a whole idle timeout. */
  void onIdle(LoopConnection connection) {
    if (waiters.isEmpty()) { // otherwise the backend admits no streams at the moment
      leave(connection);
    }
  }
}
