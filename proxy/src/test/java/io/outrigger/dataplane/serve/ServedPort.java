package io.outrigger.dataplane.serve;

import io.outrigger.base.ControlThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.listener.FilterChainMatch;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.rbac.Criterion;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.filter.FilteredCall;
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.dataplane.tls.TlsThreads;
import io.outrigger.dataplane.upstream.NettyConnector;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.http2.EventLoops;
import io.outrigger.identity.certificate.CertificateObserver;
import io.outrigger.identity.certificate.CertificateStore;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.testing.Await;
import io.outrigger.testing.RefusingPort;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.FakeWorkloadApi;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A port of {@code --serve} on the loopback, without xDS. */
final class ServedPort implements AutoCloseable, ServeObserver {
  static final String PROVIDER = "default";

  final BlockingQueue<String> states = new LinkedBlockingQueue<>();
  final BlockingQueue<HandshakeResult> handshakes = new LinkedBlockingQueue<>();
  final BlockingQueue<String> decisions = new LinkedBlockingQueue<>();
  private final RefusingPort held = RefusingPort.any();
  final int port = held.number();
  final EventLoops loops;
  final Forward forward;
  final ServedListener listener;
  volatile RandomSource drainDelays = RandomSource.SYSTEM;
  private final ControlThread control = new ControlThread("control");
  private final CertificateStore certificates;
  private final AppCluster app;

  static final ServeSettings PLAIN =
      new ServeSettings(Duration.ZERO, Duration.ofMinutes(1), false, false);

  ServedPort(int loopCount, int appPort) {
    this(loopCount, appPort, PLAIN);
  }

  ServedPort(int loopCount, int appPort, ServeSettings settings) {
    this(loopCount, appPort, InetAddress.getLoopbackAddress().getHostName(), settings);
  }

  ServedPort(int loopCount, int appPort, String host, ServeSettings settings) {
    loops = MiniMesh.startLoops(loopCount);
    certificates =
        new CertificateStore(
            control,
            command -> new Thread(command, "certificates").start(),
            RandomSource.SYSTEM,
            new FakeWorkloadApi(),
            (ca, request, now, then) -> {},
            Optional.empty(),
            CertificateObserver.NONE);
    var tls = new TlsContexts(control, TlsThreads.start(2), certificates);
    var connector = new NettyConnector(control, loops, DefaultSettings.UPSTREAM, tls);
    forward =
        new Forward(
            "pay",
            DefaultSettings.forward(new AuthorityMode.Preserve(), 1000, 1 << 20),
            TargetResolver.none(),
            call -> {},
            CallTracer.NONE,
            DefaultSettings.MEMORY,
            loopCount);
    app =
        on(
            () ->
                new AppCluster(
                        "pay",
                        "127.0.0.1:" + appPort,
                        changes ->
                            new ClusterManager(
                                new LbContext(
                                    control, RandomSource.SYSTEM, event -> {}, loopCount, false),
                                connector.of(new TargetName("", "", "")),
                                new CircuitBreakers(),
                                new LoadRegistry(control),
                                false,
                                changes))
                    .at(List.of(new EndpointAddress("127.0.0.1", appPort))));
    listener =
        new ServedListener(
            control,
            loops,
            CallLoop.of(loops, RandomSource.SYSTEM),
            forward,
            DefaultSettings.LISTENER.forUntrustedCallers(),
            new InetSocketAddress(host, port),
            settings,
            app,
            tls,
            (bound, purpose) -> drainDelays.nextLong(bound, purpose),
            this);
  }

  /** Runs {@code task} on the control loop. */
  <T> T on(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, control).join();
  }

  void run(Runnable task) {
    CompletableFuture.runAsync(task, control).join();
  }

  @Override
  public void onState(ServedListener.State state, Optional<String> reason) {
    states.add(state + reason.map(text -> ": " + text).orElse(""));
  }

  @Override
  public void onHandshake(HandshakeResult result) {
    handshakes.add(result);
  }

  @Override
  public void onDecision(FilteredCall call, String filter, Rbac.Decision decision) {
    decisions.add(filter + "=" + decision.isAllowed());
  }

  /** Serves and waits until the port is open. */
  ServedPort serving(ServerFilterChain... chains) {
    serve(chains);
    Await.until(
        "the port is open",
        () -> states.toString(),
        () -> on(listener::state) == ServedListener.State.SERVING);
    return this;
  }

  void serve(ServerFilterChain... chains) {
    run(() -> serveHere(chains));
  }

  /** Serves like {@link #serve}, in a task that runs on the control loop already. */
  void serveHere(ServerFilterChain... chains) {
    listener.serve(listener(Optional.empty(), chains), ServedPort::inline);
  }

  void serve(SocketListener resource) {
    run(() -> listener.serve(resource, ServedPort::inline));
  }

  static Outcome<RouteTable> inline(ServerFilterChain chain) {
    return Outcome.ok(((RouteSource.Inline) chain.routes()).table());
  }

  SocketListener listener(Optional<ServerFilterChain> other, ServerFilterChain... chains) {
    return new SocketListener("inbound", "127.0.0.1", port, List.of(chains), other);
  }

  /** Starts two certificate providers, whose files {@link #write} writes. */
  void provide(Path first, Path second) {
    run(
        () ->
            certificates.start(
                Map.of(
                    "default", new CertificateProvider.FileWatcher(files(first)),
                    "second", new CertificateProvider.FileWatcher(files(second)))));
  }

  private static CertificateFiles files(Path folder) {
    return new CertificateFiles(
        Optional.of(folder + "/chain.pem"),
        Optional.of(folder + "/key.pem"),
        Optional.of(folder + "/roots.pem"),
        Optional.empty(),
        Duration.ofMinutes(10)); // the file system tells of changes sooner
  }

  static void write(Path folder, TestIdentity identity, String roots) throws IOException {
    TestIdentity.replace(folder.resolve("key.pem"), identity.keyPem());
    TestIdentity.replace(folder.resolve("chain.pem"), identity.chainPem());
    TestIdentity.replace(folder.resolve("roots.pem"), roots);
  }

  static Optional<DownstreamTls> mutual() {
    return Optional.of(new DownstreamTls(PROVIDER, Optional.of(PROVIDER), true, List.of()));
  }

  static Optional<DownstreamTls> oneSided() {
    return Optional.of(new DownstreamTls(PROVIDER, Optional.empty(), false, List.of()));
  }

  static ServerFilterChain plain(HttpFilter... filters) {
    return chain("plain", Optional.empty(), everything(), filters);
  }

  static ServerFilterChain chain(
      String name, Optional<DownstreamTls> tls, RouteTable routes, HttpFilter... filters) {
    return new ServerFilterChain(
        name,
        FilterChainMatch.ANY,
        tls,
        new RouteSource.Inline(routes),
        Stream.concat(
                Stream.of(filters), Stream.of(new HttpFilter("router", new FilterConfig.Router())))
            .toList());
  }

  static RouteTable everything() {
    return routes(host("*", route("/", new RouteAction.NonForwarding())));
  }

  static RouteTable routes(VirtualHost... hosts) {
    return new RouteTable("rc", List.of(hosts));
  }

  static VirtualHost host(String domain, Route... routes) {
    return new VirtualHost("vh " + domain, List.of(domain), List.of(routes), Map.of());
  }

  static Route route(String prefix, RouteAction action) {
    return route(prefix, action, Map.of());
  }

  static Route route(String prefix, RouteAction action, Map<String, FilterConfig> overrides) {
    var match =
        new RouteMatch(new StringMatcher.Prefix(prefix, false), List.of(), Optional.empty());
    return new Route("", 0, match, action, overrides);
  }

  static HttpFilter rbac(Rbac.Action action, Criterion permission, Criterion principal) {
    var policy = new Rbac.Policy("p", permission, principal);
    return new HttpFilter(
        "rbac " + action,
        new Rbac(Optional.of(new Rbac.Rules(action, List.of(policy), Rbac.Audit.NONE))));
  }

  static Criterion path(String exact) {
    return new Criterion.Path(new StringMatcher.Exact(exact, false));
  }

  static Criterion principal(String exact) {
    return new Criterion.Authenticated(Optional.of(new StringMatcher.Exact(exact, false)));
  }

  @Override
  public void close() {
    on(listener::close).join();
    run(app::close);
    run(certificates::close);
    loops.stop(Duration.ofSeconds(5));
    control.close();
    held.close();
  }
}
