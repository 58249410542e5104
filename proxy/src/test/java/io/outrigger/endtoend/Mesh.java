package io.outrigger.endtoend;

import io.outrigger.base.ControlLoop;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.app.ProxyApp;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.Machine;
import io.outrigger.program.options.OptionsReader;
import io.outrigger.program.options.StartFailure;
import io.outrigger.testing.Await;
import io.outrigger.xds.dns.NettyDnsLookup;
import io.outrigger.xds.testing.NameServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A control plane, a sidecar, its backends and apps; all of them end with the mesh.
 *
 * <p>System properties, for tests that do not set the flags themselves: {@code
 * outrigger.test.loops}, how many event loops the sidecar has, and {@code
 * outrigger.test.transport}, how they talk to the operating system.
 */
final class Mesh implements AutoCloseable {
  static final String NODE = "node-e2e";
  static final String FORWARD = "orders";

  final ControlPlane controlPlane;

  /** How many event loops the sidecar has. */
  final int loops;

  private final Map<Flag, List<String>> flags = new EnumMap<>(Flag.class);
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private final List<String> features = new ArrayList<>(List.of("xds_v3"));
  private String certificateProviders = "{}";
  private @Nullable String otherBootstrap;
  private final List<ControlPlane> servers;
  private Function<ControlLoop, NettyDnsLookup> names = NettyDnsLookup::new;
  private boolean hasBootstrap = true;
  private @Nullable ProxyApp proxy;

  Mesh() {
    this(Integer.getInteger("outrigger.test.loops", 2));
  }

  /** One whose sidecar has so many event loops. */
  Mesh(int loops) {
    this(loops, new ControlPlane());
  }

  /** One whose control plane is elsewhere than on a port. */
  Mesh(int loops, ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    this.loops = loops;
    servers = new ArrayList<>(List.of(controlPlane));
    parts.push(controlPlane);
    flags.put(Flag.FORWARD, List.of(FORWARD + "@127.0.0.1:0=xds:///orders"));
    flags.put(Flag.ADMIN, List.of("127.0.0.1:0"));
    flags.put(Flag.THREADS, List.of("" + loops));
    flags.put(Flag.TRANSPORT, List.of(System.getProperty("outrigger.test.transport", "auto")));
  }

  /** Sets a flag of {@code outrigger run}; before the start. */
  Mesh with(Flag flag, String... values) {
    flags.put(flag, List.of(values));
    return this;
  }

  /** Sets a feature of the control plane in the bootstrap; before the start. */
  Mesh serverFeature(String feature) {
    features.add(feature);
    return this;
  }

  /** Sets {@code certificate_providers} of the bootstrap; before the start. */
  Mesh certificateProviders(String json) {
    certificateProviders = json;
    return this;
  }

  /** Has names looked up at {@code server}; before the start. */
  Mesh asking(NameServer server) {
    return asking(server, Duration.ofSeconds(5));
  }

  /** The same, with the limit of the answer to one query. */
  Mesh asking(NameServer server, Duration timeout) {
    names = control -> new NettyDnsLookup(control, server.address(), timeout);
    return this;
  }

  /** Gives the sidecar no bootstrap; before the start. */
  Mesh withoutBootstrap() {
    hasBootstrap = false;
    return this;
  }

  /** Another control plane, to fall back to; before the start. */
  ControlPlane fallback() {
    var server = keep(new ControlPlane());
    servers.add(server);
    return server;
  }

  private String server(ControlPlane each) {
    return """
    {"server_uri":"%s","channel_creds":[{"type":"insecure"}],"server_features":["%s"]}\
    """
        .formatted(each.target(), String.join("\",\"", features));
  }

  /** Has the sidecar start with {@code json}, whatever the control planes of this mesh are. */
  void bootstrap(String json) {
    otherBootstrap = json;
  }

  /** What the sidecar starts with. */
  String bootstrap() {
    if (otherBootstrap != null) {
      return otherBootstrap;
    }
    return """
    {"xds_servers":[%s],"node":{"id":"%s"},"certificate_providers":%s,
     "server_listener_resource_name_template":"inbound/%%s"}\
    """
        .formatted(
            servers.stream().map(this::server).collect(Collectors.joining(",")),
            NODE,
            certificateProviders);
  }

  /** Starts the sidecar. */
  Mesh start() throws Exception {
    Map<String, String> environment =
        flags.containsKey(Flag.RESOURCES) || !hasBootstrap
            ? Map.of()
            : Map.of("GRPC_XDS_BOOTSTRAP_CONFIG", bootstrap());
    ProxyApp started =
        ProxyApp.start(OptionsReader.read(flags, environment, Machine.current()), names);
    proxy = started;
    parts.push(started);
    return this;
  }

  /** Drains the sidecar and starts another on its port at once, as a supervisor would. */
  Mesh restart() throws Exception {
    with(Flag.FORWARD, FORWARD + "@127.0.0.1:" + address().getPort() + "=xds:///orders");
    ProxyApp old = proxy();
    var unused = old.drain();
    Await.until(
        "the port is free",
        () -> {
          try {
            start();
            return true;
          } catch (StartFailure inUse) {
            return false;
          }
        });
    return this;
  }

  /** Starts the sidecar and waits until it can route. */
  Mesh startReady() throws Exception {
    start();
    Admin admin = admin();
    Await.until("the sidecar is ready", () -> admin.get("/ready").status() == 200);
    return this;
  }

  ProxyApp proxy() {
    if (proxy == null) {
      throw new AssertionError("not started");
    }
    return proxy;
  }

  Backend backend(String name) {
    return keep(Backend.start(name));
  }

  /** Starts the backend {@code a}, to which the control plane sends all calls of {@code orders}. */
  Backend serve() {
    Backend a = backend("a");
    controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", a),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    return a;
  }

  /** One on that port of another loopback address. */
  Backend backend(String name, String ip, int port) {
    return keep(Backend.start(name, ip, port));
  }

  Backend absentBackend(String name) {
    return keep(Backend.absent(name));
  }

  /** An app on a connection of its own. */
  App app() {
    return keep(new App(address()));
  }

  App appFor(String authority) {
    return keep(new App(address(), authority));
  }

  Load load(App app, String path, int perSecond) {
    return keep(new Load(app, path, perSecond));
  }

  /**
   * Loads of one app on each event loop, {@code perSecond} together: connections of apps go to the
   * loops in turn.
   */
  List<Load> loads(String path, int perSecond) {
    return Stream.generate(() -> load(app(), path, perSecond / loops)).limit(loops).toList();
  }

  InetSocketAddress address() {
    return address(FORWARD);
  }

  InetSocketAddress address(String forward) {
    var listen = (ListenAddress.Tcp) proxy().listenAddress(forward);
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), listen.port());
  }

  Admin admin() {
    return new Admin(proxy().address(Flag.ADMIN).orElseThrow());
  }

  <T extends AutoCloseable> T keep(T part) {
    parts.push(part);
    return part;
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (Exception e) {
        throw new AssertionError("part of the mesh did not close", e);
      }
    }
  }
}
