package io.outrigger.dataplane.upstream;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.forward.CallTransport;
import io.outrigger.dataplane.forward.StreamWaiter;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.dataplane.tls.TlsPeer;
import io.outrigger.http2.EventLoops;
import io.outrigger.lb.BackendMetricsStream;
import io.outrigger.lb.Connector;
import io.outrigger.lb.Connector.Ending;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.TransportSecurity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backend's connections under one subchannel: each event loop has one of its own when it needs
 * one and can have it, and more when the backend's streams are all in use and the limit allows
 * (A105). A loop without one uses those of the others (decision proxy-0032).
 *
 * <pre>
 * CONNECTING -> READY   on the first connection established
 * CONNECTING -> CLOSED  on failure of the first connection
 * READY      -> CLOSED  on the last connection ended, on close
 * </pre>
 *
 * <p>As long as any connection is established balancing sees READY. CLOSED takes no more streams on
 * any loop: who waits is told, open streams finish, then the sockets close.
 *
 * <p>Every loop may have one connection, whatever the limit; those beyond are counted here for all
 * loops together, so that there are at most {@code loops + limit - 1} (decision proxy-0032).
 *
 * <p>{@code closed} is set by whoever notices first, before balancing hears of it: a call that
 * still gets this transport from an older picker is turned away and waits for the next one.
 */
@AnyThread
final class UpstreamTransport implements CallTransport, Connector.Attempt {
  private static final Logger log = LoggerFactory.getLogger(UpstreamTransport.class);

  private final ControlLoop control;
  private final EventLoops loops;
  private final EndpointAddress address;
  private final int first;
  private final Connector.Listener listener;
  private final List<LoopConnections> connections = new ArrayList<>();

  /** Connections that work, of all loops. */
  private final AtomicInteger established = new AtomicInteger();

  /** Connections and attempts beyond the first of each loop. */
  private final AtomicInteger spares = new AtomicInteger();

  private final AtomicBoolean told = new AtomicBoolean();

  /** Whether a loop waits for another one to have a connection. */
  private final AtomicBoolean sought = new AtomicBoolean();

  /** Whether a connection that has ended had served. */
  private volatile boolean served;

  private volatile int maxConnections;
  private volatile boolean closed;

  /** Calls for load reports, which end with the transport; on the first loop. */
  private final Set<ReportCall> reportCalls = new HashSet<>();

  /** What asks for TLS where the address does; control loop. */
  private TlsContexts.@Nullable Use tlsUse;

  /** What new connections begin with; null in plain text, and before there is one. */
  private volatile @Nullable TlsContext tls;

  /** Of the newest connection; null in plain text. */
  private volatile @Nullable TransportSecurity security;

  /** Whether the listener has heard its last; control loop. */
  private boolean silent;

  UpstreamTransport(
      ControlLoop control,
      EventLoops loops,
      UpstreamSettings settings,
      UpstreamSockets sockets,
      SubchannelName owner,
      KeepAliveTime keepAlive,
      EndpointAddress address,
      int maxConnections,
      int first,
      Connector.Listener listener) {
    this.control = control;
    this.loops = loops;
    this.address = address;
    this.maxConnections = maxConnections;
    this.first = first;
    this.listener = listener;
    for (int i = 0; i < loops.count(); i++) {
      var dialer =
          new Dialer(loops, loops.loop(i), address, settings, sockets.of(i), owner, this::tls);
      connections.add(new LoopConnections(this, i, dialer, settings, keepAlive));
    }
  }

  /** Control loop. */
  void start(TlsContexts contexts) {
    if (address.tls().isPresent()) {
      tlsUse = contexts.use(address.tls().get().settings(), this::onTls);
    } else {
      post(first, connections.get(first)::connect);
    }
  }

  /** Without certificates there is no attempt, and the next one need not wait for its time. */
  private void onTls(Outcome<TlsContext> context) {
    context.match(
        usable -> {
          boolean begins = tls == null;
          tls = usable;
          if (silent) {
            endTls();
            listener.onRemedied();
          } else if (begins) {
            post(first, connections.get(first)::connect);
          } else {
            for (int i = 0; i < connections.size(); i++) {
              LoopConnections ofLoop = connections.get(i);
              post(i, () -> ofLoop.onTls(usable));
            }
          }
          return null;
        },
        reason -> {
          if (tls == null && !silent) { // else what there was stays in use
            onEnd(reason.message(), Ending.BROKEN);
          }
          return null;
        });
  }

  private void endTls() {
    if (tlsUse != null) {
      tlsUse.close();
      tlsUse = null;
    }
  }

  private TlsContext tls() {
    return Objects.requireNonNull(tls, "no connection begins before there is a TLS context");
  }

  @Override
  public Optional<TransportSecurity> security() {
    return Optional.ofNullable(security);
  }

  /** A connection's handshake has told who is at the other end. Its loop. */
  void onPeer(TlsPeer peer) {
    security = new TransportSecurity(peer.protocol(), peer.cipher(), peer.name(), peer.expiry());
  }

  @Override
  public boolean open(int loop, StreamWaiter waiter) {
    if (closed) {
      return false;
    }
    connections.get(loop).open(waiter);
    return true;
  }

  @Override
  public void forget(int loop, StreamWaiter waiter) {
    connections.get(loop).forget(waiter);
  }

  @Override
  public BackendMetricsStream openBackendMetrics(
      Duration interval, BackendMetricsStream.Listener listener) {
    control.checkInside();
    var call = new ReportCall(this, connections.get(first), address, interval, listener);
    post(first, call::start);
    return call;
  }

  /** Runs {@code task} where calls for load reports live. */
  void postToFirst(Runnable task) {
    post(first, task);
  }

  /** Runs {@code task} on the control loop. */
  void postToControl(Runnable task) {
    control.execute(task);
  }

  /** The first loop. */
  void onReportCallStarted(ReportCall call) {
    reportCalls.add(call);
  }

  /** The first loop. */
  void onReportCallEnded(ReportCall call) {
    reportCalls.remove(call);
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void limitConnections(int max) {
    control.checkInside();
    boolean raised = max > maxConnections;
    maxConnections = max;
    for (int i = 0; raised && i < connections.size(); i++) {
      post(i, connections.get(i)::onLimitRaised);
    }
  }

  /** Counts a connection beyond a loop's first in, unless the limit forbids it. Any loop. */
  boolean takeSpare() {
    while (true) {
      int before = spares.get();
      if (before >= maxConnections - 1) {
        return false;
      }
      if (spares.compareAndSet(before, before + 1)) {
        return true;
      }
    }
  }

  void returnSpare() {
    spares.decrementAndGet();
  }

  /** How many connections beyond their first all loops have together. */
  int spares() {
    return spares.get();
  }

  /** Asks all loops but {@code shortOfOne} for connections that they do not use. */
  void askForSpares(LoopConnections shortOfOne) {
    for (int i = 0; i < connections.size(); i++) {
      LoopConnections other = connections.get(i);
      if (other != shortOfOne) {
        post(i, other::yieldSpares);
      }
    }
  }

  /** A connection works, and its loop lends it. Its loop. */
  void onEstablished() {
    established.incrementAndGet();
    tell(new ConnectionEvent.Made());
    if (sought.getAndSet(false)) {
      for (int i = 0; i < connections.size(); i++) {
        post(i, connections.get(i)::onLenderReady);
      }
    }
    if (!told.compareAndSet(false, true)) {
      return;
    }
    control.execute(
        () -> {
          if (!silent) {
            listener.onReady(this);
          }
        });
  }

  /**
   * A loop beside loop {@code index} that has a connection. Without one, {@link
   * LoopConnections#onLenderReady} tells every loop as soon as there is one.
   */
  @Nullable LoopConnections lenderFor(int index) {
    LoopConnections found = findLender(index);
    if (found == null) {
      sought.set(true);
      found = findLender(index); // it may have come before it was told to tell
    }
    return found;
  }

  private @Nullable LoopConnections findLender(int index) {
    for (int i = 1; i < connections.size(); i++) {
      LoopConnections other = connections.get((index + i) % connections.size());
      if (other.lends()) {
        return other;
      }
    }
    return null;
  }

  /** Passes on what became of one of the connections. Any loop. */
  void tell(ConnectionEvent event) {
    control.execute(() -> listener.onConnection(event));
  }

  /** A connection ended, and its loop lends it no more. Its loop; tells how many are left. */
  int onLost(Ending ending) {
    if (ending == Ending.SERVED) {
      served = true;
    }
    return established.decrementAndGet();
  }

  /** How many connections work. */
  int established() {
    return established.get();
  }

  /** Counts a connection out that its loop can do without; not the last one. Its loop. */
  boolean mayLeaveOne() {
    while (true) {
      int before = established.get();
      if (before <= 1) {
        return false;
      }
      if (established.compareAndSet(before, before - 1)) {
        return true;
      }
    }
  }

  /**
   * No further streams: the last connection has ended, or the first attempt has failed. Balancing
   * knows the address, which {@code reason} does not name.
   */
  void onEnd(String reason, Ending last) {
    Ending ending = served ? Ending.SERVED : last;
    shut(address + ": " + reason);
    control.execute(
        () -> {
          if (!silent) {
            silent = true;
            if (tls != null) {
              endTls();
            } // else it still tells when there are certificates
            listener.onClosed(RpcStatus.unavailable(reason), ending);
          }
        });
  }

  @Override
  public void close() {
    control.checkInside();
    silent = true;
    endTls();
    shut("connection to " + address + " is no longer used");
  }

  private void shut(String reason) {
    if (closed) {
      return; // a second loop may get here too: leaving twice is harmless
    }
    closed = true;
    post(first, () -> List.copyOf(reportCalls).forEach(ReportCall::cancel));
    for (int i = 0; i < connections.size(); i++) {
      LoopConnections ofLoop = connections.get(i);
      post(i, () -> ofLoop.leave(reason));
    }
  }

  private void post(int loop, Runnable task) {
    try {
      loops.loop(loop).execute(task);
    } catch (RejectedExecutionException stopped) {
      log.debug("{}: event loop {} has stopped", address, loop); // the process ends
    }
  }
}
