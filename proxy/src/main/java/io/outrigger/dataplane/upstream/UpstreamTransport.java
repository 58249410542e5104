package io.outrigger.dataplane.upstream;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.forward.CallTransport;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.dataplane.tls.TlsPeer;
import io.outrigger.lb.Connector;
import io.outrigger.lb.Connector.Ending;
import io.outrigger.lb.Transport.BackendMetricsStream;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.TransportSecurity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All connections of one subchannel to its backend. Each event loop opens its own connections on
 * demand ({@link LoopConnections}).
 *
 * <pre>
 * CONNECTING -> READY   on the first connection established
 * CONNECTING -> CLOSED  on failure of the first connection
 * READY      -> CLOSED  on the last connection ended, on close
 * </pre>
 *
 * <p>Load balancing sees READY as long as at least one connection is established. A transport that
 * is CLOSED opens no more streams on any loop: waiting calls fail, and open streams finish. The
 * transport is CLOSED before load balancing is notified. A call that picks a CLOSED transport gets
 * no stream, and waits for the next picker.
 *
 * <p>Every loop may have one connection. Further connections of a loop are called extra; all loops
 * together have at most {@code limit - 1} of them (decision proxy-0032).
 */
@AnyThread
final class UpstreamTransport implements CallTransport, Connector.Attempt {
  private final ControlLoop control;
  private final List<Dialer> dialers;
  private final EndpointAddress address;
  private final int firstLoop;
  private final Connector.Listener listener;
  private final List<LoopConnections> connections = new ArrayList<>();

  /** The number of established connections of all loops. */
  private final AtomicInteger established = new AtomicInteger();

  /** The number of connections beyond the first of each loop, including attempts to connect. */
  private final AtomicInteger extras = new AtomicInteger();

  /** Whether calls of some loop may be waiting until another loop can lend streams. */
  private final AtomicBoolean isLenderWanted = new AtomicBoolean();

  /** Whether some ended connection had served a call. */
  private volatile boolean served;

  private volatile int maxConnections;
  private volatile boolean closed;

  /** Ends the subscription to TLS contexts; used on the control loop. */
  private Runnable endTls = () -> {};

  /** The context for new connections; null for plain text and until the first context is built. */
  private volatile @Nullable TlsContext tls;

  /** The TLS properties of the newest connection; null for plain text. */
  private volatile @Nullable TransportSecurity security;

  /** Whether the listener was notified of READY; used on the control loop. */
  private boolean readyReported;

  /** Whether the listener has received its last notification; used on the control loop. */
  private boolean listenerDone;

  /**
   * @param dialers the dialers of all event loops, in order
   * @param firstLoop the index of the event loop that makes the first attempt to connect
   */
  UpstreamTransport(
      ControlLoop control,
      List<Dialer> dialers,
      int maxConnections,
      int firstLoop,
      Connector.Listener listener) {
    this.control = control;
    this.dialers = dialers;
    this.maxConnections = maxConnections;
    this.firstLoop = firstLoop;
    this.listener = listener;
    address = dialers.get(firstLoop).address();
    for (int i = 0; i < dialers.size(); i++) {
      connections.add(new LoopConnections(this, i, dialers.get(i)));
    }
  }

  /** Starts the first attempt to connect; called on the control loop. */
  void start(TlsContexts contexts) {
    if (address.tls().isPresent()) {
      endTls = contexts.use(address.tls().get().settings(), this::onTls);
    } else {
      post(firstLoop, connections.get(firstLoop)::connect);
    }
  }

  /**
   * Called with a new TLS context, or with the reason why no context was built. If the subchannel
   * is in back-off because there was no context, the first context ends the back-off.
   */
  private void onTls(Outcome<TlsContext> context) {
    if (context instanceof Outcome.Ok<TlsContext> usable) {
      boolean begins = tls == null;
      tls = usable.value();
      if (listenerDone) {
        endTls.run();
        listener.onRemedied();
      } else if (begins) {
        post(firstLoop, connections.get(firstLoop)::connect);
      } else {
        postToEach(ofLoop -> ofLoop.onTls(usable.value()));
      }
    } else if (tls == null && !listenerDone) { // otherwise the previous context stays in use
      onEnd(context.status().message(), Ending.BROKEN);
    }
  }

  /** The TLS context for new connections; null for plain text. */
  @Nullable TlsContext tls() {
    return tls;
  }

  @Override
  public Optional<TransportSecurity> security() {
    return Optional.ofNullable(security);
  }

  /** Called on the connection's loop when a TLS handshake has identified the peer. */
  void onPeer(TlsPeer peer) {
    security = new TransportSecurity(peer.protocol(), peer.cipher(), peer.name(), peer.expiry());
  }

  @Override
  public boolean open(int loop, CallTransport.Waiter waiter) {
    if (closed) {
      return false;
    }
    connections.get(loop).open(waiter);
    return true;
  }

  @Override
  public void forget(int loop, CallTransport.Waiter waiter) {
    connections.get(loop).forget(waiter);
  }

  @Override
  public BackendMetricsStream openBackendMetrics(
      Duration interval, BackendMetricsStream.Listener listener) {
    control.checkInside();
    var call =
        new ReportCall(
            connections.get(firstLoop), dialers.get(firstLoop), control, interval, listener);
    post(firstLoop, call::start);
    return call;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void limitConnections(int max) {
    control.checkInside();
    boolean raised = max > maxConnections;
    maxConnections = max;
    if (raised) {
      postToEach(LoopConnections::onLimitRaised);
    }
  }

  /** Reserves an extra connection; returns false at the limit. Callable on any loop. */
  boolean reserveExtra() {
    int most = maxConnections - 1;
    return extras.getAndUpdate(taken -> taken < most ? taken + 1 : taken) < most;
  }

  void releaseExtra() {
    extras.decrementAndGet();
  }

  int extras() {
    return extras.get();
  }

  /** Requests all loops to close extra connections that they do not use. */
  void requestExtras() {
    postToEach(LoopConnections::closeUnusedExtras);
  }

  /** Called on the loop of a new connection, after {@link LoopConnections#lends} became true. */
  void onEstablished() {
    established.incrementAndGet();
    control.execute(
        () -> {
          listener.onConnection(new ConnectionEvent.Made());
          if (!readyReported && !listenerDone) {
            readyReported = true;
            listener.onReady(this);
          }
        });
    if (isLenderWanted.getAndSet(false)) {
      postToEach(LoopConnections::onLenderReady);
    }
  }

  /**
   * Returns a loop that can lend streams, other than the loop with the given index. Returns null if
   * no loop can lend streams; as soon as a loop can lend, {@link LoopConnections#onLenderReady} is
   * called on every loop.
   */
  @Nullable LoopConnections lenderFor(int index) {
    isLenderWanted.set(true); // set first, because a loop may become able to lend during the search
    for (int i = 1; i < connections.size(); i++) {
      LoopConnections other = connections.get((index + i) % connections.size());
      if (other.lends()) {
        return other;
      }
    }
    return null;
  }

  /** Reports an event of one connection to the {@link Connector.Listener}. Callable on any loop. */
  void report(ConnectionEvent event) {
    control.execute(() -> listener.onConnection(event));
  }

  /**
   * Called on the loop of an ended connection, after the loop has stopped lending its streams.
   * Returns the number of remaining connections of all loops.
   */
  int onLost(Ending ending) {
    if (ending == Ending.SERVED) {
      served = true;
    }
    return established.decrementAndGet();
  }

  int established() {
    return established.get();
  }

  /**
   * Called on a loop that does not need one of its connections. Returns false if this is the
   * transport's last connection, which must stay open.
   */
  boolean tryGiveUpConnection() {
    return established.getAndUpdate(open -> open > 1 ? open - 1 : open) > 1;
  }

  /**
   * Closes the transport because the last connection has ended, or the first attempt to connect has
   * failed.
   *
   * @param reason the reason without the backend's address, which load balancing adds
   */
  void onEnd(String reason, Ending last) {
    Ending ending = served ? Ending.SERVED : last;
    shutDown();
    control.execute(
        () -> {
          if (!listenerDone) {
            listenerDone = true;
            if (tls != null) { // otherwise the first TLS context must be reported later
              endTls.run();
            }
            listener.onClosed(RpcStatus.unavailable(reason), ending);
          }
        });
  }

  @Override
  public void close() {
    control.checkInside();
    listenerDone = true;
    endTls.run();
    shutDown();
  }

  private void shutDown() {
    if (closed) {
      return; // two loops may pass this check at the same time, which is harmless
    }
    closed = true;
    postToEach(LoopConnections::leave);
  }

  private void postToEach(Consumer<LoopConnections> task) {
    for (int i = 0; i < connections.size(); i++) {
      LoopConnections ofLoop = connections.get(i);
      post(i, () -> task.accept(ofLoop));
    }
  }

  private void post(int loop, Runnable task) {
    RemoteStream.post(dialers.get(loop).loop(), task);
  }
}
