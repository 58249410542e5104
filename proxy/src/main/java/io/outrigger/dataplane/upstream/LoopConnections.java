package io.outrigger.dataplane.upstream;

import io.outrigger.base.Backoff;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.OneTimer;
import io.outrigger.base.RandomSource;
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
import org.jspecify.annotations.Nullable;

/**
 * The connections of one transport on one event loop, and the calls that wait for a stream (A105
 * "Subchannel Behavior", decision proxy-0032).
 *
 * <p>A call gets a stream on the oldest connection that admits a stream; otherwise the call waits.
 * Waiting calls are served in order. While a call waits and no connection admits a stream, the loop
 * opens another connection, one attempt at a time. The first connection of a loop is always
 * allowed; each further connection is called extra. All loops share one limit of extra connections.
 *
 * <p>If a loop without a connection fails to connect, or takes longer than {@link #BORROW_DELAY},
 * the loop borrows streams: the calls of the loop use connections of another loop. A borrowing loop
 * continues its attempts to connect, with gRPC's back-off. When its attempt to connect succeeds, a
 * borrowing loop serves all its waiting calls, including those that wait for a stream of another
 * loop. A loop that loses its last connection lends no more streams, and sends the waiting calls of
 * other loops back.
 *
 * <p>The transport ends when no loop has a connection left, even if attempts are in progress.
 */
@LoopConfined
final class LoopConnections implements RemoteStream.Borrower, RemoteStream.Lender {
  /** The delay before a loop tries again to reserve an extra connection. */
  static final Duration EXTRA_RETRY_DELAY = Duration.ofMillis(100);

  /** The time for which calls wait for a connection of their loop before streams are borrowed. */
  static final Duration BORROW_DELAY = Duration.ofMillis(100); // decision proxy-0032

  final UpstreamTransport transport;
  private final int index;
  private final Dialer dialer;

  /** Delays the next attempt to connect after a failed attempt. */
  private final Backoff backoff = new Backoff(RandomSource.SYSTEM);

  /** Delays the next attempt to connect after a connection was lost. */
  private final Backoff reconnectBackoff = new Backoff(RandomSource.SYSTEM);

  private final Set<CallTransport.Waiter> waiters = new LinkedHashSet<>();

  /** The calls that wait for a stream on a connection of another loop, in order of arrival. */
  private final Map<CallTransport.Waiter, RemoteStream> borrowing = new LinkedHashMap<>(0);

  /** The calls that receive load reports; these calls end with the transport. */
  private final Set<ReportCall> reportCalls = new HashSet<>(0);

  /** The connections in state READY, oldest first. */
  private final List<LoopConnection> established = new ArrayList<>(1);

  private final OneTimer retryTimer;

  /** The timer that starts the borrowing of streams after {@link #BORROW_DELAY}. */
  private final OneTimer borrowTimer;

  private @Nullable LoopConnection attempt;
  private boolean borrows;

  /** Whether this loop can lend streams of its connections; other loops read the field. */
  private volatile boolean lends;

  LoopConnections(UpstreamTransport transport, int index, Dialer dialer) {
    this.transport = transport;
    this.index = index;
    this.dialer = dialer;
    retryTimer = new OneTimer(dialer);
    borrowTimer = new OneTimer(dialer);
  }

  /** Opens a stream for a call, immediately or when a connection admits a stream. */
  void open(CallTransport.Waiter waiter) {
    Http2Stream stream = waiters.isEmpty() ? openFor(waiter) : null;
    if (stream != null) {
      waiter.onOpened(stream);
    } else {
      waiters.add(waiter);
      connectIfNeeded();
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

  /** Opens a stream for a load report; returns false when the transport is closed. */
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
    if (!transport.isClosed()) {
      dial();
    }
  }

  /** Called when the limit of extra connections was raised. */
  void onLimitRaised() {
    retryTimer.stop();
    connectIfNeeded();
  }

  /** Called when certificates have changed; retires connections to peers no longer trusted. */
  void onTls(TlsContext context) {
    List.copyOf(established).forEach(connection -> connection.onTls(context));
  }

  /** Closes unused extra connections because another loop needs a connection. */
  void closeUnusedExtras() {
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
    retryTimer.stop();
    borrowTimer.stop();
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
    reclaimBorrowing();
    while (!waiters.isEmpty()) {
      CallTransport.Waiter waiter = waiters.iterator().next();
      waiters.remove(waiter);
      waiter.onNotOpened();
    }
  }

  private @Nullable Http2Stream openFor(CallTransport.Waiter waiter) {
    for (int i = 0; i < established.size(); i++) { // the oldest connection first
      Http2Stream stream = established.get(i).openFor(waiter);
      if (stream != null) {
        return stream;
      }
    }
    return null;
  }

  /**
   * Opens streams for waiting calls in order, until the backend admits no more streams (SC-36).
   * Called when a connection may admit streams again.
   */
  void serve() {
    while (!waiters.isEmpty()) {
      CallTransport.Waiter waiter = waiters.iterator().next();
      Http2Stream stream = openFor(waiter);
      if (stream == null) {
        connectIfNeeded();
        return;
      }
      waiters.remove(waiter);
      waiter.onOpened(stream);
    }
  }

  /** Opens a connection or borrows streams if calls wait. */
  private void connectIfNeeded() {
    if (waiters.isEmpty() || transport.isClosed()) {
      return;
    }
    boolean mayDial = attempt == null && !retryTimer.isRunning();
    if (established.isEmpty()) {
      if (mayDial) {
        dial();
      }
      borrowAfterDelay();
    } else if (mayDial) {
      connectFurther();
    }
  }

  /**
   * Opens an extra connection when each connection has as many streams as the backend admits
   * (A105). If a connection admits no stream for another reason, for example because the backend
   * has not read cancelled requests, no extra connection is opened.
   */
  private void connectFurther() {
    if (!established.stream().allMatch(LoopConnection::isAtStreamLimit)) {
      return; // a connection calls onCapacity when it admits streams
    }
    if (transport.reserveExtra()) {
      dial();
    } else if (transport.extras() >= established.size()) { // other loops have some of them
      transport.requestExtras();
      retryTimer.start(EXTRA_RETRY_DELAY, this::connectIfNeeded);
    }
  }

  private void borrowAfterDelay() {
    if (borrows) {
      borrow();
    } else if (!borrowTimer.isRunning()) {
      borrowTimer.start(
          BORROW_DELAY,
          () -> {
            borrows = established.isEmpty();
            connectIfNeeded();
          });
    }
  }

  /** Moves all waiting calls to another loop that has a connection. */
  private void borrow() {
    LoopConnections lender = transport.lenderFor(index);
    if (lender == null) {
      return; // onLenderReady is called when a loop can lend streams
    }
    for (CallTransport.Waiter waiter : List.copyOf(waiters)) {
      waiters.remove(waiter);
      var stream = new RemoteStream(this, waiter, dialer.loop(), lender, lender.dialer.loop());
      borrowing.put(waiter, stream);
      stream.request();
    }
  }

  /** Moves the calls that wait at another loop to the front of this loop's queue. */
  private void reclaimBorrowing() {
    if (!borrowing.isEmpty()) {
      List<CallTransport.Waiter> queue = new ArrayList<>(borrowing.keySet());
      borrowing.values().forEach(RemoteStream::cancel);
      borrowing.clear();
      queue.addAll(waiters);
      waiters.clear();
      waiters.addAll(queue);
    }
  }

  /** Called when a loop can lend streams; {@link UpstreamTransport#lenderFor} had found no loop. */
  void onLenderReady() {
    if (borrows && established.isEmpty()) {
      connectIfNeeded();
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

  /** Whether calls of other loops may borrow streams of this loop; callable on any loop. */
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

  /**
   * Called when a connection, or an attempt to connect, has ended. The last connection or attempt
   * to connect of a loop never counts as extra.
   */
  private void releaseExtra() {
    if (!established.isEmpty() || attempt != null) {
      transport.releaseExtra();
    }
  }

  private void leave(LoopConnection connection) {
    if (transport.tryGiveUpConnection()) {
      remove(connection);
      releaseExtra();
      connection.leave();
      transport.report(ConnectionEvent.Lost.NOT_NEEDED);
    }
  }

  private void remove(LoopConnection connection) {
    established.remove(connection);
    lends = !established.isEmpty();
  }

  // Events of connections.

  void onReady(LoopConnection connection) {
    attempt = null;
    if (connection.peer() != null) {
      transport.onPeer(connection.peer());
    }
    backoff.reset();
    established.add(connection);
    lends = true;
    borrows = false;
    borrowTimer.stop();
    transport.onEstablished();
    reclaimBorrowing();
    serve();
  }

  /** Called when a connection accepts no more streams, or an attempt to connect has failed. */
  void onGone(LoopConnection connection, String reason) {
    if (connection == attempt) {
      attempt = null;
      transport.report(new ConnectionEvent.Failed());
      releaseExtra();
      onAttemptFailed(reason);
    } else {
      remove(connection);
      transport.report(new ConnectionEvent.Lost(connection.error()));
      releaseExtra();
      onEnded(connection.ending(), "connection ended: " + reason);
    }
  }

  private void onEnded(Ending ending, String reason) {
    if (transport.onLost(ending) == 0) {
      transport.onEnd(reason, ending);
      return;
    }
    if (established.isEmpty()) {
      retryTimer.stop(); // the delay was for an extra connection
      sendBorrowersBack();
    }
    if (ending == Ending.SERVED) {
      reconnectBackoff.reset();
    } else if (ending == Ending.BROKEN) { // otherwise the loop might reconnect without end
      borrows = established.isEmpty();
      retryTimer.start(reconnectBackoff.next(), this::connectIfNeeded);
    }
    serve();
  }

  private void onAttemptFailed(String reason) {
    if (transport.established() == 0) {
      transport.onEnd(reason, Ending.BROKEN);
      return;
    }
    borrows = established.isEmpty();
    // A105 "Backoff Behavior and Connectivity State"
    retryTimer.start(backoff.next(), this::connectIfNeeded);
    connectIfNeeded();
  }

  /** Called when the idle timeout of a connection has passed. */
  void onIdle(LoopConnection connection) {
    if (waiters.isEmpty()) { // otherwise the backend admits no streams now
      leave(connection);
    }
  }
}
