package io.outrigger.proxy.upstream;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Connector;
import io.outrigger.lb.LoadReportStream;
import io.outrigger.proxy.forward.CallTransport;
import io.outrigger.proxy.forward.StreamWaiter;
import io.outrigger.proxy.http2.EventLoops;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backend's connections, one per event loop that needs one, under one subchannel.
 *
 * <pre>
 * CONNECTING -> READY   on SETTINGS from the backend on the first connection
 * CONNECTING -> CLOSED  on failure of the first connection
 * READY      -> CLOSED  on end or GOAWAY of the first connection, on a failed attempt of another
 *                       loop, on close
 * </pre>
 *
 * <p>The first connection decides what balancing sees; those of other loops are made when a call of
 * theirs comes, and one that ends after it worked is made anew in the same way. CLOSED takes no
 * more streams on any loop: who waits is told, open streams finish, then the sockets close.
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
  private final List<LoopConnection> connections = new ArrayList<>();
  private volatile boolean closed;

  /** Calls for load reports, which end with the transport; on the first loop. */
  private final Set<ReportCall> reportCalls = new HashSet<>();

  /** Whether the listener has heard its last; control loop. */
  private boolean silent;

  UpstreamTransport(
      ControlLoop control,
      EventLoops loops,
      UpstreamSettings settings,
      EndpointAddress address,
      int first,
      Connector.Listener listener) {
    this.control = control;
    this.loops = loops;
    this.address = address;
    this.first = first;
    this.listener = listener;
    for (int i = 0; i < loops.count(); i++) {
      var dialer = new Dialer(loops, loops.loop(i), address, settings);
      connections.add(new LoopConnection(this, dialer, settings, i == first));
    }
  }

  void start() {
    post(first, connections.get(first)::connect);
  }

  @Override
  public boolean open(int loop, StreamWaiter waiter) {
    return !closed && connections.get(loop).open(waiter);
  }

  @Override
  public void forget(int loop, StreamWaiter waiter) {
    connections.get(loop).forget(waiter);
  }

  @Override
  public LoadReportStream openLoadReports(Duration interval, LoadReportStream.Listener listener) {
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

  /** The first connection works. Its loop. */
  void onFirstReady() {
    control.execute(
        () -> {
          if (!silent) {
            listener.onReady(this);
          }
        });
  }

  /** No further streams. Balancing knows the address, which {@code reason} does not name. */
  void onEnd(String reason) {
    shut(address + ": " + reason);
    control.execute(
        () -> {
          if (!silent) {
            silent = true;
            listener.onClosed(RpcStatus.unavailable(reason));
          }
        });
  }

  @Override
  public void close() {
    control.checkInside();
    silent = true;
    shut("connection to " + address + " is no longer used");
  }

  private void shut(String reason) {
    if (closed) {
      return; // a second loop may get here too: leaving twice is harmless
    }
    closed = true;
    post(first, () -> List.copyOf(reportCalls).forEach(ReportCall::cancel));
    for (int i = 0; i < connections.size(); i++) {
      LoopConnection connection = connections.get(i);
      post(i, () -> connection.leave(reason));
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
