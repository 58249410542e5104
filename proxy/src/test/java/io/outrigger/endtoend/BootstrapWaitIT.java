package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.program.app.ProxyApp;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.WorkloadAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A sidecar that is there before the files of its bootstrap ({@code --bootstrap-timeout}). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class BootstrapWaitIT {
  private static final Duration SOON = Duration.ofMillis(400);

  @TempDir private Path folder;
  private final Mesh mesh = new Mesh();
  private Path bootstrap;

  /** Completed when the wait is over; failed with what ended it. */
  private CompletableFuture<Void> waited;

  @AfterEach
  void close() {
    mesh.close();
  }

  private void serve() {
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", mesh.backend("a")),
        Xds.listener("orders", "routes"),
        Xds.listener("users", "routes"),
        Xds.routesTo("routes", "A"));
  }

  private void start(String timeout) throws Exception {
    serve();
    bootstrap = folder.resolve("proxy").resolve("bootstrap.json");
    startWith(timeout);
  }

  private void startWith(String timeout) throws Exception {
    mesh.with(Flag.BOOTSTRAP, bootstrap.toString())
        .with(Flag.BOOTSTRAP_TIMEOUT, timeout)
        .with(Flag.HEALTH, "127.0.0.1:0")
        .start();
    waited = new CompletableFuture<>();
    ProxyApp app = mesh.proxy();
    var thread =
        new Thread(
            () -> {
              try {
                app.awaitConfiguration();
                waited.complete(null);
              } catch (InvalidInput | RuntimeException e) {
                waited.completeExceptionally(e);
              }
            },
            "awaits the bootstrap");
    thread.setDaemon(true);
    thread.start();
  }

  private Admin health() {
    return new Admin(mesh.proxy().address(Flag.HEALTH).orElseThrow());
  }

  private void awaitReason(String text) {
    Await.until(
        "/ready says: " + text,
        () -> health().get("/ready").body(),
        () -> health().get("/ready").body().contains(text));
    assertThat(health().get("/ready").status()).isEqualTo(503);
    assertThat(health().get("/live").status()).isEqualTo(200);
  }

  private void awaitReady() {
    Await.until(
        "it is ready",
        () -> health().get("/ready").body(),
        () -> health().get("/ready").status() == 200);
    waited.join();
  }

  /** How a file comes to be. */
  enum Coming {
    RENAMED {
      @Override
      void bring(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Path half = Files.writeString(file.resolveSibling("half"), text.substring(0, 10));
        Files.writeString(half, text);
        Files.move(half, file);
      }
    },
    LINKED_AS_KUBERNETES_DOES {
      @Override
      void bring(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.createSymbolicLink(file, Path.of("..data", file.getFileName().toString()));
        Path data = Files.createDirectory(file.resolveSibling("..2026_11"));
        Files.writeString(data.resolve(file.getFileName()), text);
        Path link = file.resolveSibling("..data_tmp");
        Files.createSymbolicLink(link, data.getFileName());
        Files.move(link, file.resolveSibling("..data"));
      }
    };

    abstract void bring(Path file, String text) throws IOException;
  }

  @Conformance("DI-02")
  @ParameterizedTest
  @EnumSource
  void callsWaitForABootstrapThatComesLater(Coming how) throws Exception {
    mesh.with(Flag.FORWARD, "orders@127.0.0.1:0=xds:///orders", "all@127.0.0.1:0=xds:///*");
    start("1h");
    awaitReason(bootstrap + " does not exist");
    assertThat(mesh.admin().get("/ready").body()).isEqualTo(health().get("/ready").body());
    assertThat(mesh.admin().get("/forwards").array())
        .hasSize(2)
        .allSatisfy(
            forward -> {
              assertThat(forward.getAsJsonObject().get("state").getAsString()).isEqualTo("WAITING");
              assertThat(forward.getAsJsonObject().get("error").getAsString())
                  .contains(bootstrap + " does not exist");
            });
    for (String path :
        List.of(
            "/xds",
            "/config_dump",
            "/certs",
            "/lb",
            "/metrics",
            "/explain?forward=orders&path=/a")) {
      assertThat(mesh.admin().get(path).status()).as(path).isEqualTo(200);
    }
    CompletableFuture<App.Reply> waiting = mesh.app().send("test.Pay/Charge");
    App users = mesh.keep(new App(mesh.address("all"), "users"));
    CompletableFuture<App.Reply> byAuthority = users.send("test.Pay/Charge");
    App.Reply late =
        App.join(mesh.app().send("test.Pay/Charge", "grpc-timeout", SOON.toMillis() + "m"));
    assertThat(late.code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    assertThat(late.local()).isEqualTo("deadline");
    assertThat(waiting).isNotDone();

    how.bring(bootstrap, mesh.bootstrap());

    awaitReady();
    assertThat(App.join(waiting).backend()).isEqualTo("a");
    assertThat(App.join(byAuthority).backend()).isEqualTo("a");
    assertThat(mesh.app().call("none.Such/Call", "grpc-timeout", "1m").message())
        .doesNotContain("does not exist");
    assertThat(mesh.admin().get("/xds").object().get("node").getAsString()).isEqualTo(Mesh.NODE);
  }

  /** {@link Mesh#bootstrap} with something in its server. */
  private String bootstrapWith(String text, String replacement) {
    assertThat(mesh.bootstrap()).contains(text);
    return mesh.bootstrap().replace(text, replacement);
  }

  @Conformance("DI-02")
  @Test
  void credentialFilesAreWaitedForOneAfterTheOther() throws Exception {
    start("1h");
    Files.createDirectories(bootstrap.getParent());
    Path roots = folder.resolve("roots.pem");
    Path chain = folder.resolve("chain.pem");
    Path key = folder.resolve("key.pem");
    Path token = folder.resolve("token");
    TestIdentity.replace(
        bootstrap,
        bootstrapWith(
            "[{\"type\":\"insecure\"}]",
            """
            [{"type":"tls","config":{"ca_certificate_file":"%s","certificate_file":"%s",
              "private_key_file":"%s"}}],
             "call_creds":[{"type":"jwt_token_file","config":{"jwt_token_file":"%s"}}]"""
                .formatted(roots, chain, key, token)));
    TestAuthority authority = TestAuthority.named("control plane");
    TestIdentity us = authority.issue("dns:us");

    awaitReason("tls credentials: certificate_file " + chain + " does not exist");
    TestIdentity.replace(chain, us.chainPem());
    awaitReason("private_key_file " + key + " does not exist");
    TestIdentity.replace(key, authority.issue("dns:before").keyPem());
    awaitReason("private_key_file " + key + " is not the key of certificate_file");
    TestIdentity.replace(key, us.keyPem());
    awaitReason("tls credentials: ca_certificate_file " + roots + " does not exist");
    TestIdentity.replace(roots, authority.rootPem());
    awaitReason("jwt_token_file " + token + " does not exist");
    assertThat(waited).isNotDone();
    TestIdentity.replace(token, "later");

    waited.join(); // that server has no TLS: what comes now is not waited for here
    Await.until(
        "the control plane is asked",
        () -> health().get("/ready").body().contains("has no configuration yet"));
  }

  @Conformance("DI-02")
  @Test
  void filesOfACertificateProviderAreWaitedFor() throws Exception {
    Path roots = folder.resolve("roots.pem");
    mesh.certificateProviders(provider(roots));
    bootstrap = Files.writeString(folder.resolve("b.json"), mesh.bootstrap());
    serve();
    startWith("1h");
    awaitReason(
        "certificate provider \"default\": ca_certificate_file " + roots + " does not exist");

    TestIdentity.replace(roots, TestAuthority.named("mesh").rootPem());

    awaitReady();
  }

  @Conformance("DI-02")
  @ParameterizedTest
  @ValueSource(strings = {"0s", "300ms"})
  void filesOfACertificateProviderAreNoReasonToEnd(String timeout) throws Exception {
    mesh.certificateProviders(provider(folder.resolve("never.pem")));
    bootstrap = Files.writeString(folder.resolve("b.json"), mesh.bootstrap());
    serve();
    startWith(timeout);

    awaitReady();

    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
    assertThat(mesh.admin().get("/certs").body()).contains("never.pem does not exist");
  }

  private static String provider(Path roots) {
    return """
        {"default":{"plugin_name":"file_watcher","config":{"ca_certificate_file":"%s"}}}"""
        .formatted(roots);
  }

  /** Agents may do much to find out who asks, and take longer than any single look. */
  @Conformance({"DI-02", "SPW-01"})
  @Test
  void aWorkloadApiThatDoesNotAnswerIsWaitedForAndAskedOnce() throws Exception {
    WorkloadAgent agent = mesh.keep(new WorkloadAgent());
    mesh.certificateProviders(provider(agent));
    bootstrap = Files.writeString(folder.resolve("b.json"), mesh.bootstrap());
    serve();
    startWith("1h");
    awaitReason(
        "certificate provider \"spire\": no certificates yet: the Workload API "
            + agent.endpoint()
            + " has not answered yet");
    assertThat(waited).isNotDone();

    TestAuthority authority = TestAuthority.named("mesh");
    String id = "spiffe://mesh/orders";
    agent.say(WorkloadAgent.response(id, authority.issue("uri:" + id), authority, Map.of()));

    awaitReady();
    assertThat(agent.opened()).isEqualTo(1);
  }

  @Conformance({"DI-02", "SPW-01"})
  @ParameterizedTest
  @ValueSource(strings = {"0s", "300ms"})
  void aWorkloadApiThatDoesNotAnswerIsNoReasonToEnd(String timeout) throws Exception {
    mesh.certificateProviders(provider(mesh.keep(new WorkloadAgent())));
    bootstrap = Files.writeString(folder.resolve("b.json"), mesh.bootstrap());
    serve();
    startWith(timeout);

    awaitReady();

    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
  }

  private static String provider(WorkloadAgent agent) {
    return """
        {"spire":{"plugin_name":"spiffe_workload_api","config":{"endpoint":"%s"}}}"""
        .formatted(agent.endpoint());
  }

  @Conformance("DI-02")
  @Test
  void aBootstrapThatComesAndIsWrongEndsIt() throws Exception {
    start("1h");
    Files.createDirectories(bootstrap.getParent());
    TestIdentity.replace(bootstrap, "{\"xds_servers\": 7}");

    assertThat(waited)
        .failsWithin(Await.PATIENCE)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(InvalidInput.class)
        .withMessageContaining(
            bootstrap + ":1:2: $.xds_servers: is a number; an array is required");
  }

  @Conformance("DI-02")
  @Test
  void aBootstrapThatDoesNotKnowATargetEndsIt() throws Exception {
    mesh.with(Flag.FORWARD, "orders@127.0.0.1:0=xds://west/orders");
    start("1h");
    Files.createDirectories(bootstrap.getParent());
    TestIdentity.replace(bootstrap, mesh.bootstrap());

    assertThat(waited)
        .failsWithin(Await.PATIENCE)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(InvalidInput.class)
        .withMessageContaining("--forward: \"xds://west/orders\"");
  }

  @Conformance("DI-02")
  @Test
  void anEndThatIsAskedForNeedsNoBootstrap() throws Exception {
    start("1s");
    mesh.proxy().quit();

    mesh.proxy().ended().join();
    waited.join();
  }

  @Test
  void staticResourcesWaitForTheirBootstrapToo() throws Exception {
    Backend a = mesh.backend("a");
    Path resources = folder.resolve("resources.json");
    Files.writeString(
        resources,
        "{\"resources\":[%s]}"
            .formatted(
                String.join(
                    ",",
                    Xds.cluster("A"),
                    Xds.endpoints("A", a),
                    Xds.listener("orders", "routes"),
                    Xds.routesTo("routes", "A"))));
    bootstrap = folder.resolve("b.json");
    mesh.with(Flag.RESOURCES, resources.toString());
    startWith("1h");
    awaitReason(bootstrap + " does not exist");

    TestIdentity.replace(bootstrap, mesh.bootstrap());

    awaitReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
  }
}
