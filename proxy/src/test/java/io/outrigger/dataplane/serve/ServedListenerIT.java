package io.outrigger.dataplane.serve;

import static io.outrigger.dataplane.serve.ServedPort.chain;
import static io.outrigger.dataplane.serve.ServedPort.everything;
import static io.outrigger.dataplane.serve.ServedPort.host;
import static io.outrigger.dataplane.serve.ServedPort.path;
import static io.outrigger.dataplane.serve.ServedPort.plain;
import static io.outrigger.dataplane.serve.ServedPort.rbac;
import static io.outrigger.dataplane.serve.ServedPort.route;
import static io.outrigger.dataplane.serve.ServedPort.routes;
import static io.outrigger.http2.testing.Heads.headers;
import static io.outrigger.http2.testing.Heads.responseHead;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.buffer.Unpooled;
import io.outrigger.base.CidrRange;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.FilterChainMatch;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.rbac.Criterion;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.RawPeer;
import io.outrigger.http2.testing.RawPeer.Exchange;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A served port in plain text between raw peers: routes, filters, changes, and an app that fails.
 */
@Timeout(120)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
class ServedListenerIT {
  private static final HttpFilter DENY_SECRETS =
      rbac(Rbac.Action.DENY, path("/pkg.Svc/Secret"), Criterion.ALWAYS);
  private static final RouteAction WRONG =
      new RouteAction.Forward(new ClusterChoice.Single("a"), RouteTimeout.UNSET);

  private final List<AutoCloseable> toClose = new ArrayList<>();
  private final RawPeer peer = new RawPeer();
  private final int loops;

  ServedListenerIT(int loops) {
    this.loops = loops;
  }

  @AfterEach
  void close() throws Exception {
    for (int i = toClose.size() - 1; i >= 0; i--) {
      toClose.get(i).close();
    }
    peer.close();
  }

  private ServedPort open(int appPort) {
    var port = new ServedPort(loops, appPort);
    toClose.add(port);
    return port;
  }

  private ServedPort open(int appPort, ServeSettings settings) {
    var port = new ServedPort(loops, appPort, settings);
    toClose.add(port);
    return port;
  }

  private static HeaderList grpc(String authority, String path, String... more) {
    String[] all = new String[12 + more.length];
    System.arraycopy(
        new String[] {
          ":method",
          "POST",
          ":scheme",
          "http",
          ":path",
          path,
          ":authority",
          authority,
          "content-type",
          "application/grpc",
          "te",
          "trailers"
        },
        0,
        all,
        0,
        12);
    System.arraycopy(more, 0, all, 12, more.length);
    return headers(all);
  }

  private Exchange call(ServedPort port, HeaderList head) throws Exception {
    return peer.connect(port.port).request(head, true);
  }

  /** Answers the next request of the app with OK; returns the head that the app got. */
  private static String answer(RawPeer.Server app) throws Exception {
    Exchange atApp = app.nextStream();
    String head = atApp.next();
    atApp.send(responseHead(), false);
    atApp.send(headers("grpc-status", "0"), true);
    return head;
  }

  private static void assertOk(Exchange call) throws Exception {
    assertThat(call.next()).contains(":status=200");
    assertThat(call.next()).contains("grpc-status=0");
  }

  private static boolean isOpen(int port) throws Exception {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (SocketException refusedOrReset) {
      return false;
    }
  }

  @Test
  @Conformance({"A36-03", "A36-22"})
  void thePortIsOpenWhileThereIsAConfigurationAndTheAppHasBeenReached() throws Exception {
    RefusingPort held = RefusingPort.any();
    toClose.add(held);
    int appPort = held.number();
    ServedPort port = open(appPort);
    assertThat(isOpen(port.port)).isFalse();

    port.serve(plain());
    assertThat(port.states.take()).isEqualTo("WAITING: waiting for a connection to the app");
    assertThat(isOpen(port.port)).isFalse();

    var app = new RawPeerOn(appPort);
    toClose.add(app);
    assertThat(port.states.take()).isEqualTo("SERVING");
    assertThat(isOpen(port.port)).isTrue();

    port.run(() -> port.listener.stop("listener \"x\" was deleted"));
    assertThat(port.states.take()).isEqualTo("NOT_SERVING: listener \"x\" was deleted");
    Await.until("the port is closed", () -> !isOpen(port.port));
    port.run(() -> port.listener.await("waiting for route configuration \"r\""));
    assertThat(port.states.take()).isEqualTo("NOT_SERVING: waiting for route configuration \"r\"");

    port.serve(plain());
    assertThat(port.states.take()).isEqualTo("SERVING");
    assertThat(isOpen(port.port)).isTrue();
  }

  /** Accepts connections and speaks HTTP/2, at a given port. */
  private static final class RawPeerOn implements AutoCloseable {
    private final Server server;

    RawPeerOn(int port) throws Exception {
      server =
          NettyServerBuilder.forAddress(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
              .build()
              .start();
    }

    @Override
    public void close() {
      server.shutdownNow();
    }
  }

  @Test
  @Conformance("A36-22")
  void aRunningCallOutlivesTheEndOfTheConfiguration() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());
    RawPeer.Connection connection = peer.connect(port.port);
    Exchange call = connection.request(grpc("pay", "/pkg.Svc/Call"), true);
    Exchange atApp = app.nextStream();

    port.run(() -> port.listener.stop("gone"));
    Await.until("the port is closed", () -> !isOpen(port.port));
    atApp.send(responseHead(), false);
    atApp.send(headers("grpc-status", "0"), true);

    assertOk(call);
    assertThat(connection.closed.get(60, TimeUnit.SECONDS)).isNotEmpty();
    Await.until("no connection is left", () -> port.on(port.listener::connections) == 0);
  }

  @Test
  @Conformance("OPS-04")
  void theGraceEndsNoCallOfADrain() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var settings = new ServeSettings(Duration.ZERO, Duration.ofMillis(200), false, false);
    ServedPort port = open(app.port(), settings).serving(plain());
    Exchange call = call(port, grpc("pay", "/pkg.Svc/Call"));
    Exchange atApp = app.nextStream();

    port.run(port.listener::drain);
    Thread.sleep(600);
    atApp.send(responseHead(), false);
    atApp.send(headers("grpc-status", "0"), true);

    assertOk(call);
  }

  /** Opens a closed port; changes its listener before the listener knows that the port is open. */
  private CompletableFuture<Void> whilePortOpens(
      ServedPort port, AtomicBoolean isInUse, Runnable change) {
    port.run(() -> port.listener.stop("gone"));
    Await.until("the port is closed", () -> !isOpen(port.port));
    CompletableFuture<Void> changed =
        CompletableFuture.runAsync(
            () ->
                port.run(
                    () -> {
                      port.serveHere(plain());
                      Await.until("a call uses the port", isInUse::get);
                      change.run();
                    }));
    Await.until("the port is open", () -> isOpen(port.port));
    return changed;
  }

  /** Else a Listener that changes all the time would end all connections at the same time. */
  @Test
  @Conformance("OPS-05")
  void aSecondChangeKeepsTheTimeOfTheGoAway() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var settings = new ServeSettings(Duration.ofMinutes(5), Duration.ofMinutes(10), false, false);
    ServedPort port = open(app.port(), settings).serving(plain());
    RawPeer.Connection connection = peer.connect(port.port);
    Exchange call = connection.request(grpc("pay", "/pkg.Svc/Call"), true);
    answer(app);
    assertOk(call);

    port.drainDelays = (bound, purpose) -> bound - 1;
    port.serve(plain(DENY_SECRETS));
    port.loops.callOnEach(loop -> loop).toCompletableFuture().join(); // after the retirement
    port.drainDelays = (bound, purpose) -> 1;
    port.serve(plain());
    port.loops.callOnEach(loop -> loop).toCompletableFuture().join();

    assertThatThrownBy(() -> connection.closed.get(2, TimeUnit.SECONDS))
        .isInstanceOf(TimeoutException.class);
  }

  @Test
  @Conformance("A36-19")
  void aConnectionFromBeforeTheChangeOfAPortThatOpensIsRetired() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());
    var isInUse = new AtomicBoolean();
    CompletableFuture<Void> changed =
        whilePortOpens(port, isInUse, () -> port.serveHere(plain(DENY_SECRETS)));
    RawPeer.Connection connection = peer.connect(port.port);
    Exchange call = connection.request(grpc("pay", "/pkg.Svc/Secret"), true);
    answer(app);
    assertOk(call);

    isInUse.set(true);
    changed.get(60, TimeUnit.SECONDS);

    assertThat(connection.closed.get(60, TimeUnit.SECONDS)).isNotEmpty();
  }

  @Test
  @Conformance("OPS-04")
  void aPortThatOpensDuringADrainIsClosedAtOnce() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());
    var isInUse = new AtomicBoolean();
    CompletableFuture<Void> drained = whilePortOpens(port, isInUse, () -> port.listener.drain());
    RawPeer.Connection connection = peer.connect(port.port);
    connection.request(grpc("pay", "/pkg.Svc/Endless"), false);
    app.nextStream();
    isInUse.set(true);

    drained.join();
    assertThat(connection.closed.get(20, TimeUnit.SECONDS)).isNotEmpty();
  }

  @Test
  @Conformance("OPS-08")
  void aCallerWhoseStreamsNeverEndKeepsNobodyOut() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT.withMaxConcurrentStreams(2));
    ServedPort port = open(app.port()).serving(plain());
    RawPeer.Connection greedy = peer.connect(port.port);
    for (int i = 0; i < 50; i++) {
      greedy.request(grpc("pay", "/pkg.Svc/Endless"), false);
      assertThat(app.nextStream().next()).contains("/pkg.Svc/Endless");
    }

    Exchange call = call(port, grpc("pay", "/pkg.Svc/Call"));

    assertThat(answer(app)).contains("/pkg.Svc/Call");
    assertOk(call);
  }

  @Test
  @Conformance({"A36-13", "A36-14", "A36-15"})
  void theVirtualHostIsFoundByTheAuthorityAndTheRouteByThePath() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var right = new RouteAction.NonForwarding();
    var routes =
        routes(
            host("pay.example", route("/pkg.Svc/", right)),
            host("*.example", route("/", WRONG)),
            host("shop*", route("/a", right)));
    ServedPort port = open(app.port()).serving(chain("c", Optional.empty(), routes, DENY_SECRETS));

    Exchange served = call(port, grpc("pay.example", "/pkg.Svc/Call?x=1"));
    assertThat(answer(app)).contains(":authority=pay.example", ":path=/pkg.Svc/Call?x=1");
    assertOk(served);

    assertThat(call(port, grpc("pay.example", "/other.Svc/Call")).next())
        .contains("grpc-status=14", "no route for virtual host \"vh pay.example\"")
        .contains("x-outrigger-local=no_route");
    assertThat(call(port, grpc("nobody", "/pkg.Svc/Call")).next())
        .contains("grpc-status=14", "no virtual host", "x-outrigger-local=no_route");
    assertThat(call(port, grpc("other.example", "/pkg.Svc/Call")).next())
        .contains("grpc-status=14", "has no non_forwarding_action", "x-outrigger-local=no_route");
    assertThat(call(port, grpc("other.example", "/pkg.Svc/Secret")).next())
        .contains("grpc-status=7", "x-outrigger-local=denied");
    assertThat(app.streams).isEmpty();
  }

  @Test
  @Conformance({"A41-15", "A36-14"})
  void aRequestThatIsNotGrpcGetsTheHttpStatusAndAText() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var routes =
        routes(
            host("*", route("/pkg.Svc/", new RouteAction.NonForwarding()), route("/wrong", WRONG)));
    ServedPort port = open(app.port()).serving(chain("c", Optional.empty(), routes, DENY_SECRETS));

    assertThat(plainCall(port, "/pkg.Svc/Secret?x#y".replace("#y", "")))
        .contains(":status=403", "content-type=text/plain", "x-outrigger-local=denied");
    assertThat(plainCall(port, "/wrong"))
        .contains(":status=503", "content-type=text/plain", "x-outrigger-local=no_route");
    assertThat(plainCall(port, "/none"))
        .contains(":status=503", "content-type=text/plain", "x-outrigger-local=no_route");
    assertThat(app.streams).isEmpty();
  }

  private String plainCall(ServedPort port, String path) throws Exception {
    return call(
            port, headers(":method", "GET", ":scheme", "http", ":path", path, ":authority", "pay"))
        .next();
  }

  @Test
  @Conformance("A41-15")
  void connectIsNoWayAroundTheFilters() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain(DENY_SECRETS));

    assertThat(call(port, headers(":method", "CONNECT", ":authority", "pay:80")).next())
        .isEqualTo("RST(PROTOCOL_ERROR)");
    assertThat(app.streams).isEmpty();
  }

  @Test
  @Conformance("A41-10")
  void hostStandsForAMissingAuthorityAndTwoOfThemAreAnError() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var byHost =
        rbac(
            Rbac.Action.ALLOW,
            new Criterion.Header(
                ":authority",
                new HeaderMatcher.Value(
                    ":authority", new StringMatcher.Exact("pay", false), false)),
            Criterion.ALWAYS);
    ServedPort port = open(app.port()).serving(plain(byHost));
    String[] head = {":method", "POST", ":scheme", "http", ":path", "/pkg.Svc/Call"};

    Exchange served =
        call(port, headers(plus(head, "host", "pay", "content-type", "application/grpc")));
    assertThat(answer(app)).contains(":authority=pay").doesNotContain("host=");
    assertOk(served);
    Exchange both = call(port, grpc("pay", "/pkg.Svc/Call", "host", "other"));
    assertThat(answer(app)).contains(":authority=pay").doesNotContain("other");
    assertOk(both);
    assertThat(call(port, grpc("pay", "/pkg.Svc/Call", "host", "a", "host", "a")).next())
        .isEqualTo("RST(PROTOCOL_ERROR)");
    assertThat(
            call(port, headers(plus(head, "host", "other", "content-type", "application/grpc")))
                .next())
        .contains("x-outrigger-local=denied");
  }

  private static String[] plus(String[] some, String... more) {
    String[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  @Test
  @Conformance("A41-12")
  void addressesAreThoseOfTheConnectionWhateverHeadersSay() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var elsewhere = new Criterion.PeerAddress(CidrRange.of("10.0.0.0", 8).orElseThrow());
    ServedPort port =
        open(app.port()).serving(plain(rbac(Rbac.Action.ALLOW, Criterion.ALWAYS, elsewhere)));

    assertThat(call(port, grpc("pay", "/pkg.Svc/Call", "x-forwarded-for", "10.1.1.1")).next())
        .contains("x-outrigger-local=denied");

    var here = new Criterion.PeerAddress(CidrRange.of("127.0.0.0", 8).orElseThrow());
    port.serve(plain(rbac(Rbac.Action.ALLOW, Criterion.ALWAYS, here)));
    Exchange served = call(port, grpc("pay", "/pkg.Svc/Call"));
    answer(app);
    assertOk(served);
  }

  @Test
  @Conformance("A41-13")
  void thePortIsTheLocalEndOfTheConnection() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port());
    var itsPort = new Criterion.LocalPort(port.port, port.port + 1);
    var itsAddress = new Criterion.LocalAddress(CidrRange.of("127.0.0.1", 32).orElseThrow());
    port.serving(
        plain(
            rbac(
                Rbac.Action.DENY,
                new Criterion.All(List.of(itsPort, itsAddress)),
                Criterion.ALWAYS)));

    assertThat(call(port, grpc("pay:99", "/pkg.Svc/Call")).next())
        .contains("x-outrigger-local=denied");
  }

  @Test
  @Conformance({"A41-14", "A41-01"})
  void aRouteMayReplaceTheFilterOrSwitchItOff() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var denyAll = rbac(Rbac.Action.DENY, Criterion.ALWAYS, Criterion.ALWAYS);
    ServedPort port = open(app.port()).serving(switchedOffForOpen(denyAll));

    Exchange served = call(port, grpc("pay", "/open/Call"));
    answer(app);
    assertOk(served);
    for (String path : List.of("/shut/Call", "/open/../shut/Call", "/open/a%2fb/../../shut/Call")) {
      assertThat(call(port, grpc("pay", path)).next())
          .contains("grpc-status=7", "denied by RBAC", "x-outrigger-local=denied");
    }
    assertThat(port.decisions).hasSize(3).containsOnly(denyAll.name() + "=false");
  }

  /** A chain with a route for /open, whose override switches {@code filter} off, and one for /. */
  private static ServerFilterChain switchedOffForOpen(HttpFilter filter) {
    var action = new RouteAction.NonForwarding();
    var open = route("/open", action, Map.of(filter.name(), Rbac.OFF));
    var routes = routes(host("*", open, route("/", action)));
    return chain("c", Optional.empty(), routes, filter);
  }

  /** Decision config-0085: only RBAC filters of the resolved path's route apply. */
  @Test
  void anotherRouteOfTheResolvedPathDoesNotRefuseWhatItsPoliciesAllow() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var allow = rbac(Rbac.Action.ALLOW, Criterion.ALWAYS, Criterion.ALWAYS);
    ServedPort port = open(app.port()).serving(switchedOffForOpen(allow));

    Exchange served = call(port, grpc("pay", "/open/../other/Call"));
    answer(app);
    assertOk(served);
    assertThat(port.decisions).containsExactly(allow.name() + "=true");
  }

  @Test
  @Conformance("A36-15")
  void aRouteThatRefusesAllIsNotReachedByAnotherPath() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var routes =
        routes(
            host(
                "*",
                route("/shut", new RouteAction.Unsupported("direct_response")),
                route("/open", new RouteAction.NonForwarding())));
    ServedPort port = open(app.port()).serving(chain("c", Optional.empty(), routes));

    assertThat(call(port, grpc("pay", "/open/../shut/Call")).next())
        .contains("grpc-status=14", "has no non_forwarding_action", "x-outrigger-local=no_route");
    assertThat(call(port, grpc("pay", "/open/a%2f..//..\\b")).next())
        .contains("has too many readings (decision config-0085)", "x-outrigger-local=no_route");
    assertThat(app.streams).isEmpty();
  }

  /** Decision config-0085: no route refuses anything, so that paths need not be resolved. */
  @Test
  void aPathIsNotResolvedWhereNothingIsRefused() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var route = route("/a//b", new RouteAction.NonForwarding());
    var routes = routes(host("*", route));
    ServedPort port = open(app.port()).serving(chain("c", Optional.empty(), routes));

    Exchange served = call(port, grpc("pay", "/a//b/Call"));
    answer(app);
    assertOk(served);
  }

  @Test
  void aChainWithoutAllowListRefusesEverythingWhereRbacIsRequired() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port =
        open(app.port(), new ServeSettings(Duration.ZERO, Duration.ofMinutes(1), true, false));
    port.serving(plain(DENY_SECRETS));

    assertThat(call(port, grpc("pay", "/pkg.Svc/Call")).next())
        .contains("grpc-status=7", "denied by RBAC", "x-outrigger-local=denied");

    port.serve(plain(rbac(Rbac.Action.ALLOW, path("/pkg.Svc/Call"), Criterion.ALWAYS)));
    Exchange served = call(port, grpc("pay", "/pkg.Svc/Call"));
    answer(app);
    assertOk(served);
  }

  @Test
  void aRouteThatSwitchesTheAllowListOffIsRefusedWhereRbacIsRequired() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    var allowAll = rbac(Rbac.Action.ALLOW, Criterion.ALWAYS, Criterion.ALWAYS);
    var denyNone = rbac(Rbac.Action.DENY, new Criterion.Constant(false), Criterion.ALWAYS).config();
    var action = new RouteAction.NonForwarding();
    var routes =
        routes(
            host(
                "*",
                route("/off", action, Map.of(allowAll.name(), Rbac.OFF)),
                route("/disabled", action, Map.of(allowAll.name(), new FilterConfig.Disabled())),
                route("/deny", action, Map.of(allowAll.name(), denyNone)),
                route("/allow", action, Map.of(allowAll.name(), allowAll.config()))));
    ServedPort port =
        open(app.port(), new ServeSettings(Duration.ZERO, Duration.ofMinutes(1), true, false))
            .serving(chain("c", Optional.empty(), routes, allowAll));

    for (String path : List.of("/off", "/disabled", "/deny")) {
      assertThat(call(port, grpc("pay", path)).next()).contains("grpc-status=7");
    }
    Exchange served = call(port, grpc("pay", "/allow"));
    answer(app);
    assertOk(served);
  }

  @Test
  @Conformance("OPS-03")
  void theAppNeverGetsTheCallersOwnCertificateHeader() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());
    String forged = "By=spiffe://mesh/pay;URI=spiffe://mesh/admin";

    Exchange call =
        peer.connect(port.port)
            .request(
                headers(
                    ":method",
                    "POST",
                    ":scheme",
                    "http",
                    ":path",
                    "/",
                    ":authority",
                    "pay",
                    "x-forwarded-client-cert",
                    forged,
                    "x-own",
                    "1",
                    "x_forwarded_client_cert", // the same to an app that reads headers as CGI does
                    forged,
                    "x-forwarded_client-cert",
                    forged,
                    "x-forwarded-client-cert",
                    forged),
                false);
    Exchange atApp = app.nextStream();
    assertThat(atApp.next()).contains("x-own=1").doesNotContain("forwarded");
    call.send(
        headers(
            "x-forwarded-client-cert", forged, "x_forwarded_client_cert", forged, "x-last", "2"),
        true);
    assertThat(atApp.next()).contains("x-last=2").doesNotContain("forwarded");
  }

  @Test
  @Conformance({"A36-18", "A36-20", "A36-16"})
  void aChangeOfRoutesAppliesToOpenConnections() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port());
    var chain = rds("rc");
    SocketListener listener = port.listener(Optional.empty(), chain);
    port.run(() -> port.listener.serve(listener, any -> Outcome.ok(everything())));
    Await.until("the port is open", () -> isOpen(port.port));
    RawPeer.Connection connection = peer.connect(port.port);
    Exchange before = connection.request(grpc("pay", "/pkg.Svc/Call"), true);
    answer(app);
    assertOk(before);

    SocketListener equal = port.listener(Optional.empty(), rds("rc"));
    port.run(() -> port.listener.serve(equal, any -> Outcome.ok(routes())));
    assertThat(connection.request(grpc("pay", "/pkg.Svc/Call"), true).next())
        .contains("x-outrigger-local=no_route");

    RpcStatus gone = RpcStatus.unavailable("route configuration \"rc\" does not exist (node-1)");
    port.run(() -> port.listener.serve(equal, any -> Outcome.failed(gone)));
    assertThat(connection.request(grpc("pay", "/pkg.Svc/Call"), true).next())
        .contains("grpc-status=14", "\"rc\" does not exist", "x-outrigger-local=xds_error");

    port.run(() -> port.listener.serve(equal, any -> Outcome.ok(everything())));
    Exchange after = connection.request(grpc("pay", "/pkg.Svc/Call"), true);
    answer(app);
    assertOk(after);
    assertThat(connection.closed).isNotDone();
  }

  private static ServerFilterChain rds(String name) {
    ServerFilterChain inline = plain();
    return new ServerFilterChain(
        inline.name(), inline.match(), inline.tls(), new RouteSource.Rds(name), inline.filters());
  }

  @Test
  @Conformance("A36-19")
  void aChangedListenerServesNewConnectionsAndDrainsOldOnes() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());
    RawPeer.Connection old = peer.connect(port.port);
    Exchange running = old.request(grpc("pay", "/pkg.Svc/Secret"), true);
    Exchange atApp = app.nextStream();

    port.serve(plain(DENY_SECRETS));

    assertThat(call(port, grpc("pay", "/pkg.Svc/Secret")).next())
        .contains("x-outrigger-local=denied");
    atApp.send(responseHead(), false);
    atApp.send(headers("grpc-status", "0"), true);
    assertOk(running);
    assertThat(old.closed.get(60, TimeUnit.SECONDS)).isNotEmpty();
  }

  @Test
  @Conformance({"OPS-05", "FL-03"})
  void oldConnectionsEndSpreadOverTheirTime() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    Duration minute = Duration.ofMinutes(1);
    ServedPort port = open(app.port(), new ServeSettings(minute, minute, false, false));
    port.serving(plain());
    List<RawPeer.Connection> old = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      old.add(peer.connect(port.port));
    }
    Await.until("all are there", () -> port.on(port.listener::connections) == old.size());

    port.serve(plain(DENY_SECRETS));

    Await.until("the first has ended", () -> old.stream().anyMatch(each -> each.closed.isDone()));
    Thread.sleep(1_000);
    assertThat(old).anyMatch(each -> !each.closed.isDone());
  }

  @Test
  @Conformance("A36-19")
  void oldConnectionsEndAfterTheGraceAtTheLatest() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port =
        open(app.port(), new ServeSettings(Duration.ZERO, Duration.ofMillis(500), false, false));
    port.serving(plain());
    RawPeer.Connection old = peer.connect(port.port);
    Exchange running = old.request(grpc("pay", "/pkg.Svc/Call"), true);
    app.nextStream();

    port.serve(plain(DENY_SECRETS));

    assertThat(old.closed.get(60, TimeUnit.SECONDS)).isNotEmpty();
    assertThat(running.next()).startsWith("LOST");
  }

  @Test
  @Conformance({"FCM-01", "FCM-05"})
  void aConnectionThatNoChainMatchesIsClosedWithoutAByte() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port());
    var external =
        new ServerFilterChain(
            "external",
            new FilterChainMatch(
                Set.of(),
                "",
                FilterChainMatch.SourceType.EXTERNAL,
                Set.of(),
                Set.of(),
                FilterChainMatch.ANY.unmatched()),
            Optional.empty(),
            new RouteSource.Inline(everything()),
            plain().filters());
    port.serving(external);

    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port.port)) {
      socket.setSoTimeout(10_000);
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }

    port.serve(port.listener(Optional.of(plain()), external));
    Exchange served = call(port, grpc("pay", "/pkg.Svc/Call"));
    answer(app);
    assertOk(served);
  }

  @Test
  @Conformance("OPS-01")
  void anAppThatIsGoneFailsCallsAndThePortStaysOpen() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());
    app.refuseMore();
    app.next().run(connection -> connection.close(Http2Error.NO_ERROR, "bye"));
    Await.until(
        "the app is missed",
        () -> port.on(port.listener::problem).orElse("").startsWith("the app cannot be reached: "));

    Await.until(
        "calls fail",
        () ->
            call(port, grpc("pay", "/pkg.Svc/Call"))
                .next()
                .contains("x-outrigger-local=app_unreachable"));
    assertThat(port.on(port.listener::state)).isEqualTo(ServedListener.State.SERVING);
  }

  @Test
  @Conformance({"OPS-01", "OPS-02"})
  void aSlowAppIsWaitedForUntilTheCallersDeadline() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT.withMaxConcurrentStreams(1));
    ServedPort port = open(app.port()).serving(plain());
    RawPeer.Connection caller = peer.connect(port.port);
    Exchange first = caller.request(grpc("pay", "/pkg.Svc/Call", "grpc-timeout", "400m"), true);
    assertThat(app.nextStream().next()).contains("grpc-timeout=");
    Exchange second = caller.request(grpc("pay", "/pkg.Svc/Call", "grpc-timeout", "300m"), true);

    assertThat(second.next()).contains("grpc-status=4", "x-outrigger-local=deadline");
    assertThat(first.next()).contains("grpc-status=4", "x-outrigger-local=deadline");
  }

  @Test
  @Conformance("OPS-01")
  void aResetOfTheAppReachesTheCaller() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());

    Exchange call = call(port, grpc("pay", "/pkg.Svc/Call"));
    app.nextStream().run(stream -> stream.reset(Http2Error.INTERNAL_ERROR));

    assertThat(call.next()).contains("grpc-status=13", "x-outrigger-local=upstream_reset");
  }

  @Test
  @Conformance("OPS-02")
  void informationalHeadsTrailersAndLargeBodiesPassInBothDirections() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());
    Exchange call =
        peer.connect(port.port)
            .request(
                headers(":method", "PUT", ":scheme", "http", ":path", "/file", ":authority", "pay"),
                false);
    Exchange atApp = app.nextStream();
    assertThat(atApp.next()).contains(":method=PUT");
    atApp.send(headers(":status", "103", "link", "</a>"), false);
    assertThat(call.next()).contains(":status=103");

    int bytes = 3 << 20; // a dozen windows
    call.send(Unpooled.wrappedBuffer(new byte[bytes]), false);
    call.send(headers("x-sum", "1"), true);
    Await.until("the app has the request", () -> atApp.received.get() == bytes);
    atApp.send(headers(":status", "200"), false);
    atApp.send(Unpooled.wrappedBuffer(new byte[bytes]), false);
    atApp.send(headers("x-sum", "2"), true);
    Await.until("the caller has the response", () -> call.received.get() == bytes);

    assertThat(last(atApp)).isEqualTo("H(x-sum=1)!");
    assertThat(last(call)).isEqualTo("H(x-sum=2)!");
  }

  private static String last(Exchange exchange) throws Exception {
    String event = exchange.next();
    while (!event.endsWith("!")) {
      event = exchange.next();
    }
    return event;
  }

  @Test
  @Conformance("OPS-02")
  void aResetOfTheCallerReachesTheApp() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());

    Exchange call = peer.connect(port.port).request(grpc("pay", "/pkg.Svc/Call"), false);
    Exchange atApp = app.nextStream();
    atApp.next();
    call.run(stream -> stream.reset(Http2Error.CANCEL));

    assertThat(atApp.next()).isEqualTo("RST(CANCEL)");
  }

  @Test
  @Conformance("OPS-08")
  void aCallerMayHaveAHundredStreams() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port()).serving(plain());
    RawPeer.Connection caller = peer.connect(port.port);
    List<Exchange> calls = new ArrayList<>();
    for (int i = 0; i < 101; i++) {
      calls.add(caller.request(grpc("pay", "/pkg.Svc/Call"), false));
    }

    assertThat(calls.get(100).next()).isEqualTo("NO STREAM");
    for (int i = 0; i < 100; i++) {
      app.nextStream();
    }
    calls.get(0).send(Unpooled.wrappedBuffer(new byte[1]), true);
  }

  @Test
  @Conformance("A36-24")
  void aPortInUseIsTriedAgain() throws Exception {
    RawPeer.Server app = peer.listen(ConnectionSettings.DEFAULT);
    ServedPort port = open(app.port());
    try (var held = new ServerSocket(port.port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(held.isBound()).isTrue();
      port.serve(plain());
      String state = port.states.take();
      while (state.startsWith("WAITING")) {
        state = port.states.take();
      }
      assertThat(state)
          .isEqualTo(
              "BIND_RETRY: cannot listen on 127.0.0.1:" + port.port + ": address already in use");
    }
    assertThat(port.states.take()).isEqualTo("SERVING");
  }
}
