package io.outrigger.proxy.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.proxy.endtoend.FaultyBackend.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every {@link Fault} of a backend for every kind of call, while other calls go on: a failed call
 * is never OK, ends soon, and leaves nothing behind.
 */
class FaultMatrixIT {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration GRACE = Duration.ofSeconds(20);

  private static final List<MethodType> KINDS =
      List.of(
          MethodType.UNARY,
          MethodType.SERVER_STREAMING,
          MethodType.CLIENT_STREAMING,
          MethodType.BIDI_STREAMING);

  private static final Mesh mesh = new Mesh();
  private static ManagedChannel app;
  private static Load load;

  @BeforeAll
  static void start() throws Exception {
    List<String> routes = new ArrayList<>();
    for (MethodType kind : KINDS) {
      mesh.controlPlane.serve(
          Xds.cluster(cluster(kind)),
          Xds.endpoints(cluster(kind), Xds.locality("a", 0, 1, List.of())));
      routes.add(Xds.route("/" + cluster(kind) + ".", cluster(kind)));
    }
    routes.add(Xds.route("", "good"));
    Backend good = mesh.backend("good").quiet();
    mesh.controlPlane.serve(
        Xds.cluster("good"),
        Xds.endpoints("good", good),
        Xds.listener("orders", "routes"),
        Xds.routes("routes", Xds.host("*", routes.toArray(String[]::new))));
    mesh.startReady();
    app =
        NettyChannelBuilder.forAddress(mesh.address())
            .usePlaintext()
            .disableRetry()
            .directExecutor()
            .build();
    mesh.keep(app::shutdownNow);
    load = mesh.load(mesh.app(), "test.Pay/Charge", 100);
  }

  /** What stands when all faults are over: no call, no cluster that is not routed any more. */
  @AfterAll
  static void nothingIsLeft() throws Exception {
    try (mesh) {
      mesh.controlPlane.serve(Xds.routes("routes", Xds.host("*", Xds.route("", "good"))));
      Await.until(
          "no cluster of a fault is left in the tree",
          () -> mesh.admin().get("/lb").body(),
          () -> !mesh.admin().get("/lb").body().contains("faulty"));
      load.close();
      assertThat(load.failures()).as("calls beside the faults").isEmpty();
      assertThat(load.succeeded()).isPositive();
      Await.until(
          "no request is active",
          () -> mesh.admin().get("/metrics").body(),
          () ->
              mesh.admin()
                  .get("/metrics")
                  .body()
                  .contains("outrigger_requests_active{forward=\"orders\"} 0"));
    }
  }

  static Stream<Fault> faults() {
    return Fault.all().stream();
  }

  @ParameterizedTest
  @MethodSource("faults")
  void aFailedCallIsNeverOkAndEndsAndLeavesNothing(Fault fault) throws Exception {
    boolean expires = fault.codes().contains(Code.DEADLINE_EXCEEDED);
    Duration deadline = expires ? SHORT : LONG;
    Map<MethodType, FaultyBackend> backends = new EnumMap<>(MethodType.class);
    try {
      for (MethodType kind : KINDS) {
        var backend = new FaultyBackend(fault.at(), fault.action());
        backends.put(kind, backend);
        mesh.controlPlane.serve(
            Xds.endpoints(cluster(kind), Xds.locality("a", 0, 1, List.of(backend.port()))));
      }
      Await.until(
          "the backends are known",
          () ->
              backends.values().stream()
                  .allMatch(b -> mesh.admin().get("/lb").body().contains(":" + b.port())));
      Map<MethodType, CompletableFuture<Status>> ends = new EnumMap<>(MethodType.class);
      for (MethodType kind : KINDS) {
        ends.put(kind, call(kind, fault.at(), deadline));
      }
      for (MethodType kind : KINDS) {
        Status status = ends.get(kind).get(LONG.plus(GRACE).toSeconds(), TimeUnit.SECONDS);
        assertThat(status.getCode()).as(kind + ": " + status).isIn(fault.codes());
      }
      Await.until(
          "no request is counted any more",
          () -> mesh.admin().get("/lb").body(),
          () -> activeOfFaults() == 0);
    } finally {
      for (FaultyBackend backend : backends.values()) {
        backend.close();
      }
    }
  }

  private static String cluster(MethodType kind) {
    return "faulty_" + kind.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Makes a call. An app that streams goes on without end, except where the fault waits for the
   * end.
   */
  private static CompletableFuture<Status> call(MethodType kind, Phase at, Duration deadline) {
    ClientCall<String, String> call =
        app.newCall(
            Text.method(cluster(kind) + ".Service/Call", kind),
            CallOptions.DEFAULT.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS));
    var end = new CompletableFuture<Status>();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(String message) {
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(status);
          }
        },
        new Metadata());
    call.request(2);
    call.sendMessage("first");
    if (kind.clientSendsOneMessage() || at == Phase.END) {
      call.halfClose();
    }
    return end;
  }

  private static int activeOfFaults() {
    int active = 0;
    JsonObject forward =
        mesh.admin().get("/lb").object().getAsJsonArray("forwards").get(0).getAsJsonObject();
    for (JsonElement cluster : forward.getAsJsonObject("root").getAsJsonArray("children")) {
      if (cluster.getAsJsonObject().get("name").getAsString().contains("faulty")) {
        active += active(cluster.getAsJsonObject());
      }
    }
    return active;
  }

  private static int active(JsonObject node) {
    int active = 0;
    for (JsonElement endpoint : node.getAsJsonArray("endpoints")) {
      active += endpoint.getAsJsonObject().get("active_requests").getAsInt();
    }
    for (JsonElement child : node.getAsJsonArray("children")) {
      active += active(child.getAsJsonObject());
    }
    return active;
  }
}
