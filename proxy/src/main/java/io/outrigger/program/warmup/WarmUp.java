package io.outrigger.program.warmup;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenerSettings;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.ForwardSettings;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.route.ConfigSelectors;
import io.outrigger.http2.EventLoops;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.Connector;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.observe.history.LastCalls;
import io.outrigger.observe.history.TrafficHistory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warms up the process, once: {@link #open} creates a small mesh beside the user's, {@link #start}
 * sends calls through it, and {@link #done} completes when the mesh is closed again.
 *
 * <p>The mesh is not visible outside: status and metrics do not show its forward, cluster and
 * circuit breakers, and its only backend is an {@link EchoBackend} in the same process. The start
 * does not depend on the warm-up: a failure is only logged, and the warm-up ends after a time limit
 * (decision proxy-0003).
 */
@AnyThread
public final class WarmUp {
  /** The number of calls; the run that trains a start-up cache sets more. */
  static final int CALLS = Integer.getInteger("outrigger.warm-up.calls", 3);

  private static final Logger log = LoggerFactory.getLogger(WarmUp.class);
  private static final Duration LIMIT = Duration.ofSeconds(CALLS > 1000 ? 30 : 2);

  private final ControlLoop control;
  private final EventLoops loops;
  private final ClusterManager clusters;
  private final EchoBackend backend;
  private final SampleTarget target;
  private final Http2Listener listener;
  private final Duration limit;
  private final CompletableFuture<Integer> done = new CompletableFuture<>();

  /** Confined to the control loop. */
  private boolean isOver;

  private WarmUp(
      ControlLoop control,
      EventLoops loops,
      ClusterManager clusters,
      EchoBackend backend,
      SampleTarget target,
      Http2Listener listener,
      Duration limit) {
    this.control = control;
    this.loops = loops;
    this.clusters = clusters;
    this.backend = backend;
    this.target = target;
    this.listener = listener;
    this.limit = limit;
  }

  /**
   * Opens a forward and a backend on free loopback ports; blocks until they are bound.
   *
   * @param callLoops one per event loop of {@code loops}, in order
   * @param connector opens the connection to the backend
   */
  public static WarmUp open(
      ControlLoop control, EventLoops loops, List<CallLoop> callLoops, Connector connector)
      throws IOException {
    return open(control, loops, callLoops, connector, LIMIT);
  }

  /** Opens a warm-up that takes at most {@code limit}. */
  static WarmUp open(
      ControlLoop control,
      EventLoops loops,
      List<CallLoop> callLoops,
      Connector connector,
      Duration limit)
      throws IOException {
    var target = new SampleTarget();
    var forward =
        new Forward(
            SampleConfig.AUTHORITY,
            ForwardSettings.defaults(""),
            TargetResolver.fixed(target),
            observer(control, callLoops),
            loops.count());
    EchoBackend backend = EchoBackend.open(loops);
    try {
      Http2Listener listener =
          Http2Listener.bind(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              loops,
              callLoops,
              forward,
              ListenerSettings.DEFAULT);
      var clusters =
          new ClusterManager(
              control,
              connector,
              RandomSource.SYSTEM,
              new CircuitBreakers(),
              new LoadRegistry(control),
              LbObserver.none(),
              loops.count(),
              new Unwatched());
      return new WarmUp(control, loops, clusters, backend, target, listener, limit);
    } catch (IOException e) {
      backend.close();
      throw e;
    }
  }

  /** Returns the observers that every forward has; their records are discarded. */
  private static CallObserver observer(ControlLoop control, List<CallLoop> callLoops) {
    List<Executor> executors = List.copyOf(callLoops);
    return new LastCalls(Clock.systemUTC(), executors.size())
        .and(new TrafficHistory(SampleConfig.AUTHORITY, control, executors));
  }

  /** Starts the calls. Must run on the control loop. */
  public void start() {
    control.checkInside();
    target.parked().thenRunAsync(this::configure, control);
    Caller.call(loops, listener.port(), CALLS)
        .completeOnTimeout(0, limit.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((succeeded, failure) -> control.execute(() -> end(succeeded)));
  }

  /**
   * Publishes the configuration. The first call waits for the configuration, and then for a
   * connection to the backend.
   */
  private void configure() {
    if (!isOver) {
      XdsConfig config = SampleConfig.leadingTo(backend.address());
      target.publish(
          new ConfigSelectors(SampleConfig.AUTHORITY, HttpFilters.ofProcess(), false)
              .next(config, clusters.apply(config)));
    }
  }

  private void end(int succeeded) {
    isOver = true;
    if (succeeded < CALLS) {
      log.warn(
          "warm-up: {} of {} calls succeeded; the first requests may be slow", succeeded, CALLS);
    }
    clusters.close();
    backend.close();
    listener
        .close()
        .completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((closed, failure) -> done.complete(succeeded));
  }

  /** Completed when all calls have ended and all ports and connections are closed. */
  public CompletableFuture<Integer> done() {
    return done;
  }

  /** Ignores changes, since the sample never changes. */
  private static final class Unwatched implements ClusterManager.Listener {
    @Override
    public void onClustersChanged() {}

    @Override
    public void onReresolution() {}
  }
}
