package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.WorkloadAgent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Identity and roots from an agent on a unix socket (SPW-01, A87). */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class WorkloadApiIT {
  private static final String ID = "spiffe://mesh/orders";
  private static final TestAuthority MESH = TestAuthority.named("mesh root");
  private static final TestAuthority PARTNER = TestAuthority.named("partner root");
  private static final TestIdentity ORDERS = MESH.issue("uri:" + ID);
  private static final TestIdentity PAY = MESH.issue("uri:spiffe://mesh/pay");
  private static final TestIdentity ABROAD = PARTNER.issue("uri:spiffe://partner/pay");

  private final Mesh mesh = new Mesh();

  @TempDir private Path folder;
  private Path socket = Path.of("");

  @BeforeEach
  void configure() {
    socket = folder.resolve("agent.sock");
    mesh.certificateProviders(
        """
        {"default":{"plugin_name":"spiffe_workload_api","config":{"endpoint":"unix://%s"}}}\
        """
            .formatted(socket));
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private static byte[] answer(TestIdentity own, Map<String, TestAuthority> federated) {
    return WorkloadAgent.response(ID, own, MESH, federated);
  }

  private Backend secured(String name, TestIdentity identity) throws SSLException {
    SslContext mutual =
        GrpcSslContexts.configure(
                SslContextBuilder.forServer(identity.key(), identity.chain())
                    .trustManager(MESH.root())
                    .clientAuth(ClientAuth.REQUIRE),
                SslProvider.JDK)
            .build();
    return mesh.keep(Backend.absent(name).speaking(mutual).revive());
  }

  private void serve(Backend backend) {
    mesh.controlPlane.serve(
        Xds.secureCluster("A", ""),
        Xds.endpoints("A", Xds.locality("z", 0, 1, List.of(backend.port()))),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }

  private JsonObject provider() {
    return JsonParser.parseString(mesh.admin().get("/certs").body())
        .getAsJsonArray()
        .get(0)
        .getAsJsonObject();
  }

  @Conformance("SPW-01")
  @Test
  void callsHaveTheFirstSvidAndItsKeyIsNowhere() throws Exception {
    WorkloadAgent agent = mesh.keep(new WorkloadAgent(socket));
    agent.say(answer(ORDERS, Map.of()));
    serve(secured("a", PAY));
    mesh.startReady();

    assertThat(mesh.app().call("pay.Pay/Do").backend()).isEqualTo("a");
    assertThat(provider().get("plugin").getAsString()).isEqualTo("spiffe_workload_api");
    assertThat(provider().getAsJsonArray("certificates").toString()).contains(ID);
    assertThat(provider().get("error").isJsonNull()).isTrue();
    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_certificate_expiration_timestamp_seconds{instance=\"default\"}");
    String key = Base64.getEncoder().encodeToString(ORDERS.key().getEncoded()).substring(40, 80);
    for (String path : List.of("/certs", "/metrics", "/events?format=json", "/config_dump")) {
      assertThat(mesh.admin().get(path).body()).doesNotContain(key);
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(socket);
    }
  }

  @Conformance("SPW-01")
  @Test
  void rotationsAndRestartsOfTheAgentCostNoCall() throws Exception {
    WorkloadAgent agent = mesh.keep(new WorkloadAgent(socket));
    agent.say(answer(ORDERS, Map.of()));
    Backend backend = secured("a", PAY).quiet();
    serve(backend);
    mesh.startReady();

    try (var load = mesh.load(mesh.app(), "pay.Pay/Do", 200)) {
      load.awaitMore("a", 10);
      for (int i = 0; i < 5; i++) {
        TestIdentity next = MESH.issue("uri:" + ID);
        agent.say(answer(next, Map.of()));
        String serial = next.certificate().getSerialNumber().toString(16);
        Await.until("it is in use", () -> provider().toString().contains(serial));
        load.awaitMore("a", 10);
      }
      agent.kill();
      Await.until("the loss is told", () -> !provider().get("error").isJsonNull());
      assertThat(provider().get("error").getAsString())
          .contains("the Workload API unix://" + socket);
      assertThat(provider().getAsJsonArray("certificates").toString()).contains(ID);
      load.awaitMore("a", 10);
      int before = agent.opened();
      agent.say(new byte[0]);
      agent.revive();
      Await.until("it is asked again", () -> agent.opened() > before);
      Await.until(
          "an answer without SVIDs is told",
          () -> provider().toString().contains("register this workload with the agent"));
      load.awaitMore("a", 10);
      agent.say(answer(ORDERS, Map.of()));
      Await.until("all is well", () -> provider().get("error").isJsonNull());
      load.awaitMore("a", 10);
      assertThat(load.failures()).isEmpty();
    }
  }

  @Conformance({"SPW-01", "A87-01"})
  @Test
  void federatedDomainsAreTrustedWhileTheAnswersHaveThem() throws Exception {
    WorkloadAgent agent = mesh.keep(new WorkloadAgent(socket));
    agent.say(answer(ORDERS, Map.of()));
    serve(secured("abroad", ABROAD));
    mesh.startReady();
    App app = mesh.app();
    App.Reply refused = app.call("pay.Pay/Do");
    assertThat(refused.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(refused.message()).contains("partner");

    agent.say(answer(ORDERS, Map.of("spiffe://partner", PARTNER)));

    Await.until("calls go there", () -> app.call("pay.Pay/Do").code() == Status.Code.OK);
  }

  @Conformance("SPW-01")
  @Test
  void whatIsNotThereFailsWithTheReasonUntilItIs() throws Exception {
    serve(secured("a", PAY));
    mesh.startReady();
    App app = mesh.app();
    App.Reply none = app.call("pay.Pay/Do");
    assertThat(none.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(none.message()).contains("certificate provider \"default\"", "the unix socket");

    WorkloadAgent silent = mesh.keep(new WorkloadAgent(socket));
    Await.until("it is asked", () -> silent.opened() == 1);
    assertThat(app.call("pay.Pay/Do").code()).isEqualTo(Status.Code.UNAVAILABLE);
    silent.say(answer(ORDERS, Map.of()));

    Await.until("calls go there", () -> app.call("pay.Pay/Do").code() == Status.Code.OK);
  }

  /** Nobody answers, not even with an end. */
  @Conformance("SPW-01")
  @Test
  void anAgentThatHangsKeepsCallsForAMomentOnly() throws Exception {
    WorkloadAgent silent = mesh.keep(new WorkloadAgent(socket));
    serve(secured("a", PAY));
    mesh.startReady();

    App.Reply reply = mesh.app().call("pay.Pay/Do");

    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(reply.message()).contains("has not answered yet");
    assertThat(silent.opened()).isEqualTo(1);
  }
}
