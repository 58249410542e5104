package io.outrigger.program.warmup;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenerSettings;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.ForwardSettings;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ConfigSelectors;
import io.outrigger.dataplane.route.FixedTarget;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.dataplane.serve.AppCluster;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.Http2Connection;
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
import java.util.Map;
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
 * circuit breakers, and its only backend is in the same process. The start does not depend on the
 * warm-up: a failure is only logged, and the warm-up ends after a time limit (decision proxy-0003).
 */
@AnyThread
public final class WarmUp {
  /** The number of calls; the run that trains a start-up cache sets more. */
  static final int CALLS = Integer.getInteger("outrigger.warm-up.calls", 3);

  /** The name of everything in the mesh. */
  static final String AUTHORITY = "warm-up";

  private static final Logger log = LoggerFactory.getLogger(WarmUp.class);
  private static final Duration LIMIT = Duration.ofSeconds(CALLS > 1000 ? 30 : 2);

  private final ControlLoop control;
  private final EventLoops loops;
  private final Connector connector;
  private final Duration limit;
  private final Http2Listener listener;

  /** The backend's server channel and its connections. */
  private final ChannelGroup backend = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

  private final InetSocketAddress backendAddress;
  private final CompletableFuture<Integer> done = new CompletableFuture<>();
  private volatile Outcome<ForwardTarget> target = Outcome.failed(RpcStatus.unavailable("cold"));

  /**
   * @param limit the longest time that the warm-up takes
   */
  WarmUp(
      ControlLoop control,
      EventLoops loops,
      List<CallLoop> callLoops,
      Connector connector,
      Duration limit)
      throws IOException {
    this.control = control;
    this.loops = loops;
    this.limit = limit;
    this.connector = connector;
    var forward =
        new Forward(
            AUTHORITY,
            ForwardSettings.defaults(""),
            authority -> target,
            observer(control, callLoops),
            loops.count());
    backendAddress = bindBackend();
    try {
      listener = Http2Listener.bind(anyPort(), loops, callLoops, forward, ListenerSettings.DEFAULT);
    } catch (IOException e) {
      backend.close();
      throw e;
    }
  }

  /**
   * Opens a forward and a backend on free loopback ports; blocks until they are bound.
   *
   * @param callLoops one per event loop of {@code loops}, in order
   */
  public static WarmUp open(
      ControlLoop control, EventLoops loops, List<CallLoop> callLoops, Connector connector)
      throws IOException {
    return new WarmUp(control, loops, callLoops, connector, LIMIT);
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private InetSocketAddress bindBackend() throws IOException {
    InetSocketAddress wanted = anyPort();
    var binding =
        new ServerBootstrap()
            .group(loops.group(), loops.group())
            .channel(loops.serverChannel(wanted))
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    backend.add(channel);
                    channel
                        .pipeline()
                        .addLast(
                            Http2Connection.server(
                                ConnectionSettings.DEFAULT, connection -> new Peer.Backend()));
                  }
                })
            .bind(wanted)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new IOException("cannot listen on " + wanted, binding.cause());
    }
    backend.add(binding.channel());
    return (InetSocketAddress) binding.channel().localAddress();
  }

  /** Returns the observers that every forward has; their records are discarded. */
  private static CallObserver observer(ControlLoop control, List<CallLoop> callLoops) {
    List<Executor> executors = List.copyOf(callLoops);
    return new LastCalls(AUTHORITY, Clock.systemUTC(), executors.size())
        .and(new TrafficHistory(AUTHORITY, control, executors));
  }

  /** Starts the calls. Must run on the control loop. */
  public void start() {
    control.checkInside();
    var app =
        new AppCluster(
                AUTHORITY,
                AUTHORITY,
                changes ->
                    new ClusterManager(
                        control,
                        connector,
                        RandomSource.SYSTEM,
                        new CircuitBreakers(),
                        new LoadRegistry(control),
                        LbObserver.none(),
                        loops.count(),
                        changes))
            .at(
                List.of(
                    new EndpointAddress(
                        backendAddress.getAddress().getHostAddress(), backendAddress.getPort())));
    ConfigSelector selector =
        new ConfigSelectors(AUTHORITY, HttpFilters.ofProcess(), false)
            .next(app.config(), Map.of(app.handle().name(), app.handle()));
    target = Outcome.ok(new FixedTarget("xds:///" + AUTHORITY, AUTHORITY, selector));
    var answered = new CompletableFuture<Integer>();
    var port = new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port());
    var unused =
        new Bootstrap()
            .group(loops.loop(0))
            .channel(loops.clientChannel(port))
            .handler(
                Http2Connection.client(
                    ConnectionSettings.DEFAULT, made -> new Peer.App(made, CALLS, answered)))
            .connect(port);
    answered
        .completeOnTimeout(0, limit.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((succeeded, failure) -> control.execute(() -> end(app, succeeded)));
  }

  private void end(AppCluster app, int succeeded) {
    if (succeeded < CALLS) {
      log.warn(
          "warm-up: {} of {} calls succeeded; the first requests may be slow", succeeded, CALLS);
    }
    app.close();
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
}
