package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.StartFailure;
import io.outrigger.program.testing.FailureList;
import io.outrigger.testing.Await;
import io.outrigger.xds.testing.NameServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What people read when calls, starts and requests to the admin server fail. */
@Timeout(600)
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
        .replaceAll("(127\\.0\\.0\\.1|localhost|\\.test):\\d{4,5}", "$1:<port>")
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
    mesh.asking(names)
        .certificateProviders(
            "{\"default\":{\"plugin_name\":\"file_watcher\",\"config\":{\"certificate_file\":"
                + "\"/no/cert.pem\",\"private_key_file\":\"/no/key.pem\","
                + "\"ca_certificate_file\":\"/no/ca.pem\"}}}")
        .with(
            Flag.FORWARD,
            Mesh.FORWARD + "@127.0.0.1:0=xds:///orders",
            "dns@127.0.0.1:0=dns:///nowhere.test:50051",
            "broken@127.0.0.1:0=xds:///broken")
        .with(Flag.CONNECT_TIMEOUT, "1s");
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
}
