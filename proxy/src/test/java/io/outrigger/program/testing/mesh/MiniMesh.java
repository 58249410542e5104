package io.outrigger.program.testing.mesh;

import io.outrigger.base.ControlThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenerSettings;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.dataplane.upstream.NettyConnector;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.dataplane.upstream.UpstreamSettings;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.testing.TestLoops;
import io.outrigger.identity.certificate.CertificateObserver;
import io.outrigger.identity.certificate.CertificateStore;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.Connector;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.xds.testing.FakeWorkloadApi;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A sidecar without xDS and without policies: a listener, one route, one cluster with one backend,
 * over real sockets.
 */
public final class MiniMesh implements AutoCloseable {
  final ControlThread control;
  public final EventLoops loops;
  private final boolean ownsLoops;
  final ClusterHandle cluster = ClusterHandles.named("pay");
  final FakeTarget target = new FakeTarget();
  public final Forward forward;
  public final Http2Listener listener;
  final NettyConnector connector;

  /** Loops as the system property says, for peers too. */
  public static EventLoops startLoops(int count) {
    return TestLoops.start(count);
  }

  public MiniMesh(int loopCount) throws IOException {
    this(loopCount, loopback(0), DefaultSettings.LISTENER, DefaultSettings.UPSTREAM);
  }

  /** One loop, and {@code limits} on what peers of either side may do for nothing. */
  public MiniMesh(AbuseLimits limits) throws IOException {
    this(1, loopback(0), listening(limits), dialing(limits));
  }

  /** One loop that talks to the operating system in that way. */
  public MiniMesh(EventLoops.TransportKind transport) throws IOException {
    this(
        new ControlThread("control"),
        EventLoops.start(transport, 1),
        true,
        loopback(0),
        DefaultSettings.LISTENER,
        DefaultSettings.UPSTREAM);
  }

  /** On {@code loops}, which it stops. */
  public MiniMesh(EventLoops loops) throws IOException {
    this(
        new ControlThread("control"),
        loops,
        true,
        loopback(0),
        DefaultSettings.LISTENER,
        DefaultSettings.UPSTREAM);
  }

  public MiniMesh(
      int loopCount,
      SocketAddress address,
      ListenerSettings listenerSettings,
      UpstreamSettings upstreamSettings)
      throws IOException {
    this(
        new ControlThread("control"),
        startLoops(loopCount),
        true,
        address,
        listenerSettings,
        upstreamSettings);
  }

  private MiniMesh(
      ControlThread control,
      EventLoops loops,
      boolean ownsLoops,
      SocketAddress address,
      ListenerSettings listenerSettings,
      UpstreamSettings upstreamSettings)
      throws IOException {
    this.control = control;
    this.loops = loops;
    this.ownsLoops = ownsLoops;
    forward =
        new Forward(
            "orders",
            DefaultSettings.forward("node-1"),
            TargetResolver.fixed(target),
            call -> {},
            CallTracer.NONE,
            DefaultSettings.MEMORY,
            loops.count());
    listener =
        Http2Listener.bind(
            address, loops, CallLoop.of(loops, RandomSource.SYSTEM), forward, listenerSettings);
    connector = new NettyConnector(control, loops, upstreamSettings, withoutCertificates(control));
  }

  /** Another forward of the same sidecar, with its own cluster; close it first. */
  public MiniMesh sibling(AbuseLimits limits) throws IOException {
    return new MiniMesh(control, loops, false, loopback(0), listening(limits), dialing(limits));
  }

  /** One loop, and backends that are reached and kept as {@code upstream} says. */
  public MiniMesh(UpstreamSettings upstream) throws IOException {
    this(1, loopback(0), DefaultSettings.LISTENER, upstream);
  }

  private static ListenerSettings listening(AbuseLimits limits) {
    return new ListenerSettings(
        DefaultSettings.LISTENER.maxConnections(),
        DefaultSettings.LISTENER.http2().withAbuse(limits));
  }

  private static UpstreamSettings dialing(AbuseLimits limits) {
    return new UpstreamSettings(
        DefaultSettings.CONNECT_TIMEOUT,
        Optional.empty(),
        DefaultSettings.IDLE_TIMEOUT,
        ConnectionSettings.DEFAULT.withAbuse(limits));
  }

  /** Of a bootstrap without certificate providers. */
  public static TlsContexts withoutCertificates(ControlThread control) {
    return new TlsContexts(
        control,
        Runnable::run,
        new CertificateStore(
            control,
            Runnable::run,
            RandomSource.SYSTEM,
            new FakeWorkloadApi(),
            (ca, request, now, then) -> {},
            Optional.empty(),
            CertificateObserver.NONE));
  }

  public static InetSocketAddress loopback(int port) {
    return TestLoops.loopback(port);
  }

  public int port() {
    return listener.port();
  }

  /** Where apps connect. */
  public InetSocketAddress address() {
    return loopback(port());
  }

  /** Connections of apps that are open. */
  public int connections() {
    return listener.connections();
  }

  /** Calls that are under way. */
  public long calls() {
    return forward.totals().active();
  }

  /** Routes every call, without a limit of time, to the backend at {@code port}. */
  public Backend leadTo(int port) {
    return routed(OneRoute.noLimit()).backend(port);
  }

  public MiniMesh routed(RouteTimeout timeout) {
    target.publish(OneRoute.selector(cluster, timeout));
    return this;
  }

  /** Leads every call to a backend on the loopback; it reconnects at once when it was READY. */
  public Backend backend(int port) {
    var backend = new Backend(new EndpointAddress("127.0.0.1", port));
    control.execute(backend::requestConnection);
    return backend;
  }

  @Override
  public void close() {
    listener.close().join();
    if (ownsLoops) {
      loops.stop(Duration.ofSeconds(5));
      control.close();
    }
  }

  /** A subchannel that publishes its state as the cluster's. */
  public final class Backend implements Subchannel, Connector.Listener {
    public final BlockingQueue<String> states = new LinkedBlockingQueue<>();
    final BlockingQueue<CallOutcome> outcomes = new LinkedBlockingQueue<>();
    private final EndpointAddress address;
    private final Connector connections;
    private final PickResult use = new PickResult.Use(this);
    private volatile @Nullable Transport transport;
    private int maxConnections = 1;
    private Connector.@Nullable Attempt attempt;

    Backend(EndpointAddress address) {
      this.address = address;
      connections = connector.of(new TargetName("", "", "")).ofEndpoint(address);
    }

    @Override
    public void requestConnection() {
      publish(Connectivity.CONNECTING, Samples.QUEUE);
      attempt = connections.connect(address, maxConnections, this);
    }

    /** How the next call ended, which must be soon. */
    public CallOutcome nextOutcome() throws InterruptedException {
      return Objects.requireNonNull(outcomes.poll(60, TimeUnit.SECONDS), "no call ended");
    }

    /** As balancing says: for connections that exist and those to come. */
    public Backend limited(int max) {
      control.execute(
          () -> {
            maxConnections = max;
            if (attempt != null) {
              attempt.limitConnections(max);
            }
          });
      return this;
    }

    @Override
    public void onReady(Transport ready) {
      transport = ready;
      states.add("READY");
      publish(Connectivity.READY, use);
    }

    @Override
    public void onClosed(RpcStatus reason, Connector.Ending ending) {
      boolean worked = transport != null;
      transport = null;
      states.add(reason.message());
      if (worked) {
        requestConnection();
      } else {
        publish(Connectivity.TRANSIENT_FAILURE, new PickResult.Fail(reason));
      }
    }

    private void publish(Connectivity state, PickResult result) {
      ClusterHandles.publish(cluster, state, call -> result);
    }

    @Override
    public io.outrigger.lb.config.Backend backend() {
      var endpoint = new Endpoint(List.of(address), HealthStatus.HEALTHY, 1, "");
      return new io.outrigger.lb.config.Backend(endpoint, new Locality("", "", ""), 0);
    }

    @Override
    public EndpointAddress address() {
      return address;
    }

    @Override
    public void close() {
      control.execute(
          () -> {
            transport = null;
            if (attempt != null) {
              attempt.close();
            }
          });
    }

    @Override
    public @Nullable Transport transport() {
      return transport;
    }

    @Override
    public void callEnded(PickContext call, CallOutcome outcome) {
      outcomes.add(outcome);
    }
  }
}
