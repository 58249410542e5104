package io.outrigger.dataplane.upstream;

import io.outrigger.base.Backoff;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.forward.StreamWaiter;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.http2.Http2Stream;
import io.outrigger.lb.Connector.Ending;
import io.outrigger.lb.state.ConnectionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections of a transport, and the calls that wait for a stream on them (A105
 * "Subchannel Behavior", decision proxy-0032).
 *
 * <p>A call goes to the oldest connection that admits a stream, or else waits; calls that wait are
 * served in order whenever a connection may have room. While any waits, and none has room, the loop
 * makes itself another connection: the first by right, further ones as far as the limit allows all
 * loops together, one attempt at a time.
 *
 * <p>While the loop has no connection, and its attempt has failed or takes longer than a moment,
 * its calls borrow streams of a loop that has one. Its own attempts follow gRPC's back-off beside
 * that; once one succeeds, calls go there, those that still wait elsewhere included. A loop lends
 * only what it has: without a connection, it sends the others' calls back.
 *
 * <p>The transport ends with the last connection of all loops, whatever becomes of attempts.
 */
@LoopConfined
final class LoopConnections
    implements LoopConnection.Owner, Borrowing.Home, RemoteStreamOwner.Lender {
  /** How soon a loop looks again for a connection that the others can spare. */
  static final Duration SPARE_CHECK = Duration.ofMillis(100);

  /** How long calls wait for an attempt of their own loop while another loop has a connection. */
  static final Duration PATIENCE = Duration.ofMillis(100); // decision proxy-0032

  private final UpstreamTransport transport;
  private final int index;
  private final Dialer dialer;
  private final UpstreamSettings settings;
  private final KeepAliveTime keepAlive;

  /** Of attempts that failed, and of connections that broke. */
  private final Backoff backoff = new Backoff(RandomSource.SYSTEM);

  private final Backoff pace = new Backoff(RandomSource.SYSTEM);
  private final Set<StreamWaiter> waiters = new LinkedHashSet<>();
  private final Borrowing borrowing;

  /** READY, oldest first. */
  private final List<LoopConnection> established = new ArrayList<>(1);

  private @Nullable LoopConnection attempt;
  private @Nullable Future<?> pause;

  /** Runs while calls wait for the first connection, until they borrow. */
  private @Nullable Future<?> patience;

  private boolean borrows;

  /** Whether there is a connection; any loop reads it. */
  private volatile boolean lends;

  /** Connections beyond the first, as far as the transport knows. */
  private int spares;

  /**
   * @param index of the loop
   */
  LoopConnections(
      UpstreamTransport transport,
      int index,
      Dialer dialer,
      UpstreamSettings settings,
      KeepAliveTime keepAlive) {
    this.transport = transport;
    this.index = index;
    this.dialer = dialer;
    this.settings = settings;
    this.keepAlive = keepAlive;
    borrowing = new Borrowing(this, dialer.loop());
  }

  /** Gives {@code waiter} a stream now, or in its turn. */
  void open(StreamWaiter waiter) {
    Http2Stream stream = waiters.isEmpty() ? openFor(waiter) : null;
    if (stream != null) {
      waiter.onOpened(stream);
    } else {
      waiters.add(waiter);
      grow();
    }
  }

  @Override
  public void forget(StreamWaiter waiter) {
    waiters.remove(waiter);
    borrowing.forget(waiter);
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

  /** There are other certificates: connections whose peers are no longer trusted are replaced. */
  void onTls(TlsContext context) {
    List.copyOf(established).forEach(connection -> connection.onTls(context));
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
    lends = false;
    endPause();
    endPatience();
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
    takeBack();
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

  /** Sees to it that calls which wait in vain will have a stream. */
  private void grow() {
    if (waiters.isEmpty() || transport.isClosed()) {
      return;
    }
    boolean mayDial = attempt == null && pause == null;
    if (established.isEmpty()) {
      if (mayDial) {
        dial();
      }
      borrowInTime();
    } else if (mayDial) {
      growFurther();
    }
  }

  private void growFurther() {
    if (transport.takeSpare()) {
      spares++;
      dial();
    } else if (transport.spares() > spares) {
      transport.askForSpares(this);
      pauseFor(SPARE_CHECK);
    }
  }

  private void borrowInTime() {
    if (borrows) {
      borrow();
    } else if (patience == null) {
      patience =
          dialer.after(
              PATIENCE,
              () -> {
                patience = null;
                borrows = established.isEmpty();
                grow();
              });
    }
  }

  /** Has those who wait do so at a loop that has a connection. */
  private void borrow() {
    LoopConnections lender = transport.lenderFor(index);
    if (lender == null) {
      return; // the transport is about to end, or to tell
    }
    for (StreamWaiter waiter : List.copyOf(waiters)) {
      waiters.remove(waiter);
      borrowing.borrow(waiter, lender, lender.dialer.loop());
    }
  }

  /** Lets those who wait elsewhere wait here, before all others. */
  private void takeBack() {
    List<StreamWaiter> back = borrowing.takeBack();
    if (!back.isEmpty()) {
      back.addAll(waiters);
      waiters.clear();
      waiters.addAll(back);
    }
  }

  /** Another loop has a connection, which it had not when this one looked for it. */
  void onLenderReady() {
    if (borrows && established.isEmpty()) {
      grow();
    }
  }

  @Override
  public void onNotLent(StreamWaiter waiter, String reason) {
    if (transport.isClosed()) {
      waiter.onNotOpened(reason);
    } else {
      open(waiter);
    }
  }

  /** Whether calls of other loops may come here; any loop. */
  boolean lends() {
    return lends;
  }

  @Override
  public void lend(RemoteStreamOwner waiter) {
    if (lends) {
      open(waiter);
    } else {
      waiter.onNotOpened("the event loop that was asked has lost its connection");
    }
  }

  private void sendBorrowersBack(String reason) {
    for (StreamWaiter waiter : List.copyOf(waiters)) {
      if (waiter instanceof RemoteStreamOwner) {
        waiters.remove(waiter);
        waiter.onNotOpened(reason);
      }
    }
  }

  private void dial() {
    var next = new LoopConnection(this, dialer, settings, keepAlive);
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

  private void endPatience() {
    if (patience != null) {
      patience.cancel(false);
      patience = null;
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
      remove(connection);
      returnSpares();
      connection.leave();
      transport.tell(ConnectionEvent.Lost.NOT_NEEDED);
    }
  }

  private void remove(LoopConnection connection) {
    established.remove(connection);
    lends = !established.isEmpty();
  }

  @Override
  public void onHandshaken(HandshakeResult result) {
    transport.tell(new ConnectionEvent.Handshaken(result));
  }

  @Override
  public void onReady(LoopConnection connection) {
    attempt = null;
    if (connection.peer() != null) {
      transport.onPeer(connection.peer());
    }
    backoff.reset();
    established.add(connection);
    lends = true;
    borrows = false;
    endPatience();
    transport.onEstablished();
    takeBack();
    serve();
  }

  @Override
  public void onGone(LoopConnection connection, String reason) {
    if (connection == attempt) {
      attempt = null;
      transport.tell(new ConnectionEvent.Failed());
      returnSpares();
      onAttemptFailed(reason);
    } else {
      remove(connection);
      transport.tell(new ConnectionEvent.Lost(connection.error()));
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
      endPause(); // that was for further connections
      sendBorrowersBack(reason);
    }
    if (ending == Ending.SERVED) {
      pace.reset();
    } else if (ending == Ending.BROKEN) { // making it anew at once might go on for ever
      borrows = established.isEmpty();
      endPause();
      pauseFor(pace.next());
    }
    serve();
  }

  private void onAttemptFailed(String reason) {
    if (transport.established() == 0) {
      transport.onEnd(reason, Ending.BROKEN);
      return;
    }
    borrows = established.isEmpty();
    endPause();
    pauseFor(backoff.next()); // A105 "Backoff Behavior and Connectivity State"
    grow();
  }

  @Override
  public void onCapacity(LoopConnection connection) {
    serve();
  }

  @Override
  public void onIdle(LoopConnection connection) {
    if (waiters.isEmpty()) { // else the backend admits no stream for the moment
      leave(connection);
    }
  }
}
