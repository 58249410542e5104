package io.outrigger.endtoend;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.base.WaitingClock;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.tls.HttpsContext;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An etcd and a kube-apiserver, without controllers and nodes. The token {@code admin} may do
 * everything. An audit log has each request of service accounts. The API server can be killed and
 * come back.
 */
final class RealApiServer implements AutoCloseable {
  /**
   * A response.
   *
   * @param warnings what a user of {@code kubectl} sees beside the result
   */
  record Answer(int status, String body, List<String> warnings) {
    static Answer of(HttpResponse<String> response) {
      return new Answer(
          response.statusCode(), response.body(), response.headers().allValues("warning"));
    }
  }

  private static final Duration START = Duration.ofSeconds(120);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final String LOOPBACK = "127.0.0.1";

  private final Path folder = Files.createTempDirectory("apiserver");
  private final TestAuthority authority = TestAuthority.named("cluster");
  private final HttpClient plain = HttpClient.newHttpClient();
  private final HttpClient secure =
      HttpClient.newBuilder()
          .sslContext(
              HttpsContext.of(new Roots.Authorities(List.of(authority.root())), Optional.empty()))
          .build();
  private final Path program;
  private final int port = freePort();
  private final int store = freePort();
  private final Process etcd;
  private @Nullable Process server;

  RealApiServer(Path program, Path etcdProgram) throws IOException, InterruptedException {
    this.program = program;
    TestIdentity identity = authority.issue("ip:" + LOOPBACK);
    write("ca.crt", authority.rootPem());
    write("tls.crt", identity.chainPem());
    write("tls.key", identity.keyPem());
    TestIdentity accounts = TestAuthority.named("service accounts").issue();
    write("sa.key", accounts.keyPem());
    write("sa.crt", accounts.chainPem());
    write("tokens", "admin,admin,1,\"system:masters\"\n");
    write(
        "audit.yaml",
        """
        apiVersion: audit.k8s.io/v1
        kind: Policy
        rules: [{level: Metadata, userGroups: ["system:serviceaccounts"]}]
        """);
    String clients = "http://" + LOOPBACK + ":" + store;
    String peers = "http://" + LOOPBACK + ":" + freePort();
    etcd =
        launch(
            "etcd",
            List.of(
                etcdProgram.toString(),
                "--data-dir=" + folder.resolve("etcd"),
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=default=" + peers));
    while (!isListening(store)) {
      WaitingClock.sleep(POLL);
    }
    revive();
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private Process launch(String name, List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve(name + ".log").toFile()))
        .start();
  }

  /** Starts the API server and waits until it is ready. */
  void revive() throws IOException, InterruptedException {
    server =
        launch(
            "apiserver",
            List.of(
                program.toString(),
                "--etcd-servers=http://" + LOOPBACK + ":" + store,
                "--bind-address=" + LOOPBACK,
                "--advertise-address=10.0.0.254",
                "--endpoint-reconciler-type=none",
                "--secure-port=" + port,
                "--tls-cert-file=" + folder.resolve("tls.crt"),
                "--tls-private-key-file=" + folder.resolve("tls.key"),
                "--cert-dir=" + folder,
                "--authorization-mode=RBAC",
                "--feature-gates=PodCertificateRequest=true,ClusterTrustBundle=true,ClusterTrustBundleProjection=true",
                "--runtime-config=certificates.k8s.io/v1beta1=true",
                "--token-auth-file=" + folder.resolve("tokens"),
                "--service-cluster-ip-range=10.96.0.0/16",
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-signing-key-file=" + folder.resolve("sa.key"),
                "--service-account-key-file=" + folder.resolve("sa.crt"),
                "--audit-policy-file=" + folder.resolve("audit.yaml"),
                "--audit-log-path=" + folder.resolve("audit.log")));
    long deadline = WaitingClock.nanoTime() + START.toNanos();
    while (!isReady()) {
      if (WaitingClock.nanoTime() > deadline || !server.isAlive()) {
        String log = Files.readString(folder.resolve("apiserver.log"));
        close();
        throw new IOException("the API server does not become ready: " + log);
      }
      WaitingClock.sleep(POLL);
    }
  }

  void kill() {
    if (server != null) {
      server.destroyForcibly().onExit().join();
    }
  }

  private boolean isReady() throws InterruptedException {
    try {
      return request("GET", "/readyz", "").status() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Makes a request as the administrator. A body is YAML, and replaces or adds the object. */
  Answer request(String method, String path, String yaml) throws IOException, InterruptedException {
    String type = method.equals("PATCH") ? "application/apply-patch+yaml" : "application/yaml";
    var request =
        HttpRequest.newBuilder(URI.create("https://" + LOOPBACK + ":" + port + path))
            .header("authorization", "Bearer admin")
            .header("content-type", type)
            .header("accept", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(yaml))
            .timeout(START)
            .build();
    return Answer.of(secure.send(request, HttpResponse.BodyHandlers.ofString()));
  }

  /** Adds or replaces the object at {@code path}. */
  void apply(String path, String yaml) throws IOException, InterruptedException {
    require(request("PATCH", path + "?fieldManager=test&force=true", yaml), path);
  }

  void delete(String path) throws IOException, InterruptedException {
    require(request("DELETE", path, ""), path);
  }

  private static void require(Answer answer, String path) throws IOException {
    if (answer.status() >= 300) {
      throw new IOException(path + ": " + answer.body());
    }
  }

  /** Returns a new token of a service account. */
  String token(String namespace, String account) throws IOException, InterruptedException {
    Answer answer =
        request(
            "POST",
            "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + account + "/token",
            "{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, spec: {}}");
    require(answer, "token");
    return JsonParser.parseString(answer.body())
        .getAsJsonObject()
        .getAsJsonObject("status")
        .get("token")
        .getAsString();
  }

  /** Writes a kubeconfig with the token that the file {@code token} beside it has. */
  Path kubeconfig() throws IOException {
    return Files.writeString(
        folder.resolve("kubeconfig"),
        """
        {current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}],
         clusters: [{name: c, cluster: {server: "https://%s:%d", certificate-authority: ca.crt}}],
         users: [{name: u, user: {tokenFile: token}}]}
        """
            .formatted(LOOPBACK, port));
  }

  void writeToken(String token) throws IOException {
    TestIdentity.replace(folder.resolve("token"), token);
  }

  /** Forgets all history of the store up to now, as etcd does every five minutes. */
  void compact() throws IOException, InterruptedException {
    String key = Base64.getEncoder().encodeToString("x".getBytes(StandardCharsets.UTF_8));
    String put = ask("/v3/kv/put", "{\"key\":\"" + key + "\",\"value\":\"" + key + "\"}");
    String revision =
        JsonParser.parseString(put)
            .getAsJsonObject()
            .getAsJsonObject("header")
            .get("revision")
            .getAsString();
    ask("/v3/kv/compaction", "{\"revision\":\"" + revision + "\",\"physical\":true}");
  }

  private String ask(String path, String json) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://" + LOOPBACK + ":" + store + path))
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build();
    HttpResponse<String> response = plain.send(request, HttpResponse.BodyHandlers.ofString());
    require(Answer.of(response), path);
    return response.body();
  }

  /** The finished requests of service accounts, each such as {@code watch endpointslices 200}. */
  List<String> audited() throws IOException {
    List<String> requests = new ArrayList<>();
    for (JsonObject event : events("ResponseComplete")) {
      requests.add(
          "%s %s %d"
              .formatted(
                  event.get("verb").getAsString(),
                  event.getAsJsonObject("objectRef").get("resource").getAsString(),
                  event.getAsJsonObject("responseStatus").get("code").getAsInt()));
    }
    return requests;
  }

  /** The addresses of the watches that were begun. */
  List<String> watches() throws IOException {
    return events("ResponseStarted").stream()
        .map(event -> event.get("requestURI").getAsString())
        .toList();
  }

  private List<JsonObject> events(String stage) throws IOException {
    return Files.readAllLines(folder.resolve("audit.log")).stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .filter(event -> event.get("stage").getAsString().equals(stage))
        .toList();
  }

  @Override
  public void close() throws IOException {
    kill();
    etcd.destroy();
    etcd.onExit().completeOnTimeout(etcd, 15, TimeUnit.SECONDS).join();
    etcd.destroyForcibly().onExit().join();
    try (var files = Files.walk(folder)) {
      List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : all) {
        Files.delete(file);
      }
    }
  }

  private static int freePort() throws IOException {
    return IstiodMesh.freePort();
  }

  private static boolean isListening(int port) {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }
}
