package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import io.grpc.Status;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.GrpcSslContexts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.http2.testing.Frames;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import io.outrigger.program.testing.FailureList;
import io.outrigger.testing.Await;
import io.outrigger.testing.RefusingPort;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.IstioCaServer;
import io.outrigger.xds.testing.NameServer;
import io.outrigger.xds.testing.ScriptedApiServer;
import io.outrigger.xds.testing.SliceText;
import io.outrigger.xds.testing.WorkloadAgent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What people read when calls, starts and requests to the admin server fail. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class FailureTextsIT {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Mesh mesh = new Mesh(1);
  private final NameServer names = mesh.keep(new NameServer());
  private FailureList failures = new FailureList("");

  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** Without what differs from run to run. */
  private String plain(String text) {
    return text.replace(folder.toString(), "<folder>")
        .replaceAll("(127\\.0\\.0\\.[0-9]|localhost|\\.test):\\d{4,5}", "$1:<port>")
        .replaceAll("\"\\d{4,5}=", "\"<port>=");
  }

  private void callFails(String title, CompletableFuture<App.Reply> call) {
    App.Reply reply = App.join(call);
    assertThat(reply.status().isOk()).as(title).isFalse();
    failures.add(title, plain(reply.code() + " (" + reply.local() + "): " + reply.message()));
  }

  @Test
  void calls() throws Exception {
    failures = new FailureList("calls");
    names.keepSilentOf("mute.test");
    Backend good = mesh.backend("good");
    Backend closed = mesh.absentBackend("closed");
    Backend dying = mesh.backend("dying");
    mesh.asking(names, Duration.ofSeconds(3))
        .certificateProviders(
            "{\"default\":{\"plugin_name\":\"file_watcher\",\"config\":{\"certificate_file\":"
                + "\"/no/cert.pem\",\"private_key_file\":\"/no/key.pem\","
                + "\"ca_certificate_file\":\"/no/ca.pem\"}}}")
        .with(
            Flag.FORWARD,
            Mesh.FORWARD + "@127.0.0.1:0=xds:///orders",
            "dns@127.0.0.1:0=dns:///nowhere.test:50051",
            "broken@127.0.0.1:0=xds:///broken");
    mesh.controlPlane.serve(
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.route("/closed", "closed"),
                Xds.route("/empty", "empty"),
                Xds.route("/full", "full"),
                Xds.route("/dropped", "dropped"),
                Xds.route("/refused", "refused"),
                Xds.route("/dns", "dns"),
                Xds.route("/mute", "mute"),
                Xds.route("/secure", "secure"),
                Xds.route("/dying", "dying"),
                Xds.route("/good", "good"),
                Xds.routeTo(
                    "/limited",
                    "{\"cluster\":\"good\",\"max_stream_duration\":"
                        + "{\"max_stream_duration\":\"2s\"}}"))),
        Xds.cluster("closed"),
        Xds.endpoints("closed", closed),
        Xds.cluster("empty"),
        Xds.endpoints("empty", new String[0]),
        Xds.cluster("full", 0),
        Xds.endpoints("full", good),
        Xds.cluster("dropped"),
        Xds.endpointsDropping(
            "dropped",
            "{\"category\":\"overload\",\"drop_percentage\":{\"numerator\":100}}",
            Xds.locality("a", 0, 1, good)),
        Xds.cluster("refused", "MAGLEV"),
        Xds.dns("dns", "nowhere.test", 50051),
        Xds.dns("mute", "mute.test", 50051),
        Xds.secureCluster("secure", ""),
        Xds.endpoints("secure", good),
        Xds.cluster("dying"),
        Xds.endpoints("dying", dying),
        Xds.cluster("good"),
        Xds.endpoints("good", good),
        "{\"@type\":\"type.googleapis.com/envoy.config.listener.v3.Listener\",\"name\":\"broken\"}");
    mesh.start();
    App app = mesh.app();
    assertThat(App.join(app.send("good.Pay/Charge", App.WAIT_FOR_READY, "true")).backend())
        .isEqualTo("good");

    callFails("no route", app.send("other.Pay/Charge"));
    callFails("a closed port", app.send("closed.Pay/Charge"));
    callFails("no endpoints", app.send("empty.Pay/Charge"));
    callFails("a full circuit breaker", app.send("full.Pay/Charge"));
    callFails("a drop", app.send("dropped.Pay/Charge"));
    callFails("a cluster that is refused", app.send("refused.Pay/Charge"));
    callFails("a DNS cluster whose name does not exist", app.send("dns.Pay/Charge"));
    callFails("a name server that does not answer", app.send("mute.Pay/Charge"));
    callFails("certificate files that are missing", app.send("secure.Pay/Charge"));
    callFails("a route's time limit", app.send("limited.Pay/Hold"));
    CompletableFuture<App.Reply> held = app.send("dying.Pay/Hold");
    Await.until("it is held", () -> dying.held() == 1);
    dying.kill();
    callFails("a connection that is lost", held);
    callFails(
        "a DNS target that does not exist",
        mesh.keep(new App(mesh.address("dns"))).send("test.Pay/Charge"));
    callFails(
        "a listener that is refused",
        mesh.keep(new App(mesh.address("broken"))).send("test.Pay/Charge"));
    failures.add("HTTP/1.1 at a forward", raw(mesh.address().getPort(), "GET / HTTP/1.1\r\n\r\n"));
    failures.add("/ready", plain(mesh.admin().get("/ready").body()));
    failures.check();
  }

  /** A cluster with TLS, its endpoint and a route to it. */
  private String secured(String name, String matchers, int port) {
    mesh.controlPlane.serve(
        Xds.secureCluster(name, matchers),
        Xds.endpoints(name, Xds.locality("a", 0, 1, List.of(port))));
    return Xds.route("/" + name + ".", name);
  }

  private static SslContext server(TestIdentity identity) throws SSLException {
    return GrpcSslContexts.configure(
            SslContextBuilder.forServer(identity.key(), identity.chain()), SslProvider.JDK)
        .build();
  }

  private int secureBackend(TestIdentity identity) throws SSLException {
    return mesh.keep(Backend.absent("a").speaking(server(identity)).revive()).port();
  }

  /** A cluster whose backend answers with these fields, and a route to it. */
  private String answering(String name, String... fields) {
    var backend =
        mesh.keep(
            new FaultyBackend(
                FaultyBackend.Phase.END,
                (peer, stream) -> peer.send(Frames.headers(stream, Frames.END_HEADERS, fields))));
    mesh.controlPlane.serve(
        Xds.cluster(name), Xds.endpoints(name, Xds.locality("a", 0, 1, List.of(backend.port()))));
    return Xds.route("/" + name + ".", name);
  }

  @Test
  void tlsAndHttp2() throws Exception {
    failures = new FailureList("TLS and HTTP/2");
    TestAuthority authority = TestAuthority.named("mesh root");
    TestIdentity pay = authority.issue("uri:spiffe://mesh/pay");
    Instant end = Instant.parse("2020-01-01T00:00:00Z");
    Files.writeString(folder.resolve("roots.pem"), authority.rootPem());
    Files.writeString(folder.resolve("chain.pem"), pay.chainPem());
    Files.writeString(folder.resolve("key.pem"), pay.keyPem());
    mesh.certificateProviders(
            """
            {"default":{"plugin_name":"file_watcher","config":{"certificate_file":"%1$s/chain.pem",
              "private_key_file":"%1$s/key.pem","ca_certificate_file":"%1$s/roots.pem"}}}\
            """
                .formatted(folder))
        .with(Flag.MAX_HEADER_BYTES, "8KiB");
    mesh.controlPlane.serve(
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                secured("root", "", secureBackend(TestAuthority.named("b").issue("dns:pay"))),
                secured("name", Xds.uri("spiffe://mesh/billing"), secureBackend(pay)),
                secured(
                    "expired",
                    "",
                    secureBackend(
                        authority.issue(
                            builder -> builder.notBefore(end.minusSeconds(9)).notAfter(end),
                            "dns:pay.mesh"))),
                secured("plain", "", mesh.backend("plain").port()),
                secured(
                    "http1",
                    "",
                    mesh.keep(
                            new TlsPeerServer(
                                SslContextBuilder.forServer(pay.key(), pay.chain()).build()))
                        .port()),
                answering("broken", ":status", "200", "Upper", "case"),
                answering("large", ":status", "200", "x", "x".repeat(10_000)))));
    mesh.start();
    App app = mesh.app();

    callFails("a server of another root", app.send("root.Pay/Charge"));
    callFails("a server of another name", app.send("name.Pay/Charge"));
    callFails("a server whose certificate has expired", app.send("expired.Pay/Charge"));
    callFails("a server without TLS", app.send("plain.Pay/Charge"));
    callFails("a server without HTTP/2", app.send("http1.Pay/Charge"));
    callFails("a response that breaks HTTP/2", app.send("broken.Pay/Charge"));
    callFails("a response whose headers are too large", app.send("large.Pay/Charge"));
    failures.check();
  }

  private static String raw(int port, String request) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
          .replace("\r\n", "\n")
          .replaceAll("\n+", "\n");
    }
  }

  @Test
  void withoutAControlPlane() throws Exception {
    failures = new FailureList("without a control plane");
    mesh.controlPlane.kill();
    mesh.start();
    App app = mesh.app();
    callFails("a control plane whose port is closed", app.send("test.Pay/Charge", LONG));
    failures.add("/ready", plain(mesh.admin().get("/ready").body()));
    TestIdentity identity = TestAuthority.named("b").issue("ip:127.0.0.1");
    Path chain = Files.writeString(folder.resolve("chain.pem"), identity.chainPem());
    Path key = Files.writeString(folder.resolve("key.pem"), identity.keyPem());
    Path roots = Files.writeString(folder.resolve("r.pem"), TestAuthority.named("a").rootPem());
    var secured =
        new ControlPlane(TlsServerCredentials.create(chain.toFile(), key.toFile()), List.of());
    try (var other = new Mesh(1, secured)) {
      other.bootstrap(
          """
          {"xds_servers":[{"server_uri":"%s","channel_creds":[{"type":"tls","config":
            {"ca_certificate_file":"%s"}}]}],"node":{"id":"node-e2e"}}\
          """
              .formatted(secured.target(), roots));
      other.start();
      callFails("a control plane of another root", other.app().send("test.Pay/Charge", LONG));
    }
    failures.check();
  }

  /** Buffers of this process count as the sidecar's, so the test fills its memory. */
  @Test
  void memory() throws Exception {
    failures = new FailureList("memory");
    Backend good = mesh.with(Flag.MAX_MEMORY, "128MiB").serve();
    mesh.startReady();
    CompletableFuture<App.Reply> held = mesh.app().send("test.Pay/Hold", LONG);
    Await.until("it is held", () -> good.held() == 1);
    ByteBuf filling = Unpooled.directBuffer(160 << 20);
    try {
      callFails("an app that is cut off", held);
    } finally {
      filling.release();
    }
    failures.check();
  }

  @Test
  void aListenerThatNeverComes() throws Exception {
    failures = new FailureList("a listener that never comes");
    mesh.start();
    callFails("a call", mesh.app().send("test.Pay/Charge", LONG));
    failures.add("/ready", plain(mesh.admin().get("/ready").body()));
    failures.check();
  }

  @Test
  void admin() throws Exception {
    failures = new FailureList("admin");
    mesh.start();
    Admin admin = mesh.admin();
    for (String request :
        new String[] {
          "GET /nope",
          "POST /ready",
          "GET /lb?forwrad=orders",
          "GET /lb?forward=nobody",
          "GET /config_dump?type=nope",
          "GET /explain",
          "GET /explain?forward=nobody&path=/a.B/C",
          "GET /explain?forward=orders",
          "GET /explain?forward=orders&path=a.B/C",
          "GET /explain?forward=orders&path=/a.B/C&header=novalue",
          "GET /explain?forward=orders&path=/a.B/C&method=G%20T",
          "GET /events?format=json&since=yesterday",
          "GET /events?format=xml",
          "GET /loggers/",
          "POST /loggers/xds",
          "POST /loggers/xds?level=LOUD",
          "GET /explain?%zz",
        }) {
      Admin.Answer answer =
          request.startsWith("GET")
              ? admin.get(request.substring(4))
              : admin.post(request.substring(5));
      failures.add(request, plain(answer.status() + " " + answer.body().strip()));
    }
    Admin.Answer host = admin.send("GET /lb", "Host: evil.example");
    failures.add("another Host", plain(host.status() + " " + host.body()));
    Admin.Answer origin =
        admin.send("POST /drain", "Host: " + admin.host(), "Origin: http://evil.example");
    failures.add("another Origin", plain(origin.status() + " " + origin.body()));
    failures.check();
  }

  private void startFails(String title, Flag flag, String value) throws Exception {
    try (var other = new Mesh(1)) {
      other.with(flag, value).start();
      throw new AssertionError(title + ": it started");
    } catch (StartFailure | InvalidInput e) {
      failures.add(title, plain(e.getMessage()));
    }
  }

  @Test
  void starts() throws Exception {
    failures = new FailureList("starts");
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      startFails("a forward's port in use", Flag.FORWARD, port + "=xds:///orders");
      startFails("an admin port in use", Flag.ADMIN, "127.0.0.1:" + port);
      startFails("an admin gRPC port in use", Flag.ADMIN_GRPC, "127.0.0.1:" + port);
      startFails("a health port in use", Flag.HEALTH, "127.0.0.1:" + port);
    }
    startFails("a host that does not exist", Flag.FORWARD, "no-such.invalid:0=xds:///orders");
    startFails("an address of another machine", Flag.FORWARD, "192.0.2.1:0=xds:///orders");
    startFails(
        "a socket in a folder that is missing",
        Flag.FORWARD,
        "unix:" + folder + "/no/a.sock=xds:///orders");
    Path file = Files.writeString(folder.resolve("file"), "x");
    startFails("a file where the socket is to be", Flag.FORWARD, "unix:" + file + "=xds:///orders");
    failures.check();
  }

  /** The text of the first served address, forward or provider in an answer of the admin server. */
  private String error(String path) {
    JsonElement error = mesh.admin().get(path).array().get(0).getAsJsonObject().get("error");
    return error.isJsonNull() ? "" : error.getAsString();
  }

  private void errorIs(String title, String path, String part) {
    Await.until(title, () -> error(path), () -> error(path).contains(part));
    failures.add(title, plain(error(path)));
  }

  /** The texts that callers, operators and probes read about a served address. */
  @Test
  void served() throws Exception {
    failures = new FailureList("served addresses");
    Backend app = mesh.backend("app");
    RefusingPort port = mesh.keep(RefusingPort.any());
    String listen = "127.0.0.1:" + port.number();
    String name = "inbound/" + listen;
    String routes = Xds.servedRoutes("inline", "/test.");
    String inline = "\"route_config\":{" + routes.substring(routes.indexOf(',') + 1);
    String listener = Xds.serverListener(name, "127.0.0.1", port.number(), inline);
    mesh.with(Flag.FORWARD).with(Flag.SERVE, "pay@" + listen + "=127.0.0.1:" + app.port()).start();
    failures.add("/ready without a listener", plain(mesh.admin().get("/ready").body()));
    mesh.controlPlane.serve(Xds.serverListener(name, "127.0.0.9", port.number(), inline));
    errorIs("a listener of another address", "/listeners", "127.0.0.9");
    mesh.controlPlane.serve(Xds.listener(name, "routes"));
    errorIs("a listener for clients", "/listeners", "API listener");
    failures.add("/ready", plain(mesh.admin().get("/ready").body()));
    String router = "{\"name\":\"router\"";
    String rbac =
        """
        {"name":"rbac","typed_config":{
          "@type":"type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
          "rules":{"action":"DENY","policies":{"pay":{"principals":[{"any":true}],
            "permissions":[{"url_path":{"path":{"prefix":"/test.Admin/"}}}]}}}}},
        """;
    mesh.controlPlane.serve(listener.replace(router, rbac + router));
    Await.until("it serves", () -> mesh.admin().get("/ready").status() == 200);
    App caller =
        mesh.keep(new App(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number())));
    callFails("no route", caller.send("other.Pay/Charge"));
    callFails("RBAC denies the call", caller.send("test.Admin/Reset"));
    failures.add("HTTP/1.1 at a served address", raw(port.number(), "GET / HTTP/1.1\r\n\r\n"));
    app.kill();
    awaitCall(caller, "connection refused"); // the first call may still meet the old connection
    callFails("the app is down", caller.send("test.Pay/Charge"));
    failures.check();
  }

  @Test
  void kubernetes() throws Exception {
    failures = new FailureList("kubernetes");
    TestAuthority authority = TestAuthority.named("cluster");
    ScriptedApiServer api = mesh.keep(new ScriptedApiServer(authority.issue("ip:127.0.0.1")));
    mesh.withoutBootstrap()
        .with(Flag.KUBECONFIG, api.writeKubeconfig(folder, authority.rootPem()).toString())
        .with(Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=k8s:///orders.shop:grpc");
    api.refuse("list", 403, "endpointslices is forbidden");
    mesh.start();
    App app = mesh.app();
    callFails("the account may not list", app.send("test.Pay/Charge", LONG));
    api.refuse("list", 401, "Unauthorized");
    awaitCall(app, " 401:"); // the port may contain 401
    callFails("the token has expired", app.send("test.Pay/Charge", LONG));
    api.refuseNothing();
    awaitCall(app, "no EndpointSlices");
    callFails("no such service", app.send("test.Pay/Charge", LONG));
    api.put(SliceText.of("orders-1", "orders").port("http", 80).ready("127.0.0.1"));
    awaitCall(app, "http");
    callFails("no such port", app.send("test.Pay/Charge", LONG));
    failures.add("/ready", plain(mesh.admin().get("/ready").body()));
    failures.check();
  }

  private static void awaitCall(App app, String part) {
    Await.until(part, () -> App.join(app.send("test.Pay/Charge", LONG)).message().contains(part));
  }

  @Test
  void certificates() throws Exception {
    failures = new FailureList("certificates");
    TestAuthority authority = TestAuthority.named("root");
    IstioCaServer ca = mesh.keep(new IstioCaServer(authority.issue("ip:127.0.0.1")));
    Files.writeString(folder.resolve("token"), "a.token");
    Files.writeString(folder.resolve("root.pem"), authority.rootPem());
    mesh.certificateProviders(
            """
            {"default":{"plugin_name":"istio_ca","config":{"ca_address":"%1$s",
              "ca_root_file":"%2$s/root.pem","token_file":"%2$s/token"}}}\
            """
                .formatted(ca.address(), folder))
        .start();
    ca.refusing(Status.UNAUTHENTICATED.withDescription("request authenticate failure"));
    errorIs("istio's CA refuses the token", "/certs", "UNAUTHENTICATED");
    failures.add("/ready", plain(mesh.admin().get("/ready").body()));
    ca.answering(request -> IstioCaServer.response(authority.rootPem()));
    errorIs("istio's CA sends no chain", "/certs", "elements");
    ca.answering(
        request ->
            IstioCaServer.response(authority.issue("dns:a").chainPem(), authority.rootPem()));
    errorIs("istio's CA certifies another key", "/certs", "another key");
    ca.kill();
    errorIs("istio's CA is down", "/certs", "refused");
    Files.writeString(folder.resolve("root.pem"), "x");
    errorIs("its roots are no certificates", "/certs", "root.pem");
    failures.check();
  }

  @Test
  void aWorkloadApi() throws Exception {
    failures = new FailureList("a Workload API");
    Path socket = folder.resolve("agent.sock");
    mesh.certificateProviders(
            """
            {"default":{"plugin_name":"spiffe_workload_api","config":{"endpoint":"unix://%s"}}}\
            """
                .formatted(socket))
        .start();
    errorIs("no socket", "/certs", "agent.sock");
    WorkloadAgent agent = mesh.keep(new WorkloadAgent(socket));
    agent.say(new byte[0]);
    errorIs("the workload is not registered", "/certs", "register this workload");
    failures.check();
  }
}
