package io.outrigger.endtoend;

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
import io.outrigger.base.WaitingClock;
import io.outrigger.endtoend.FaultyBackend.Phase;
import io.outrigger.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every {@link Fault} of a backend for every kind of call, while other calls go on: a failed call
 * is never OK, ends soon, and leaves nothing behind.
 *
 * <p>The app sends its deadline and does not watch over it: that a call ends is the sidecar's
 * doing. After each fault its clusters are routed no more, so that whatever still refers to one
 * would keep it in the tree.
 */
class FaultMatrixIT {
  private static final Metadata.Key<String> TIMEOUT =
      Metadata.Key.of("grpc-timeout", Metadata.ASCII_STRING_MARSHALLER);

  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration GRACE = Duration.ofSeconds(20);

  /** By how much a deadline may be overrun at most. */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  /** A machine that stood still for a second makes one late; a hang is late each time. */
  private static final int TRIES = 20;

  private static final Pattern IN_FLIGHT = Pattern.compile("^(\\d+) requests? in flight");

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
    Backend good = mesh.backend("good").quiet();
    mesh.controlPlane.serve(
        Xds.cluster("good"),
        Xds.endpoints("good", good),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "good"));
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

  @AfterAll
  static void allElseWentOn() throws Exception {
    try (mesh) {
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

    Duration longest = play(fault, deadline);
    for (int tries = 1; longest.compareTo(deadline.plus(MARGIN)) > 0 && tries < TRIES; tries++) {
      longest = play(fault, deadline);
    }

    assertThat(longest).as("a call that the app leaves alone").isLessThan(deadline.plus(MARGIN));
  }

  /** Has every kind of call meet the fault; how long the longest took. */
  private static Duration play(Fault fault, Duration deadline) throws Exception {
    Map<MethodType, FaultyBackend> backends = new EnumMap<>(MethodType.class);
    try {
      List<String> routes = new ArrayList<>();
      for (MethodType kind : KINDS) {
        var backend = new FaultyBackend(fault.at(), fault.action());
        backends.put(kind, backend);
        mesh.controlPlane.serve(
            Xds.cluster(cluster(kind)),
            Xds.endpoints(cluster(kind), Xds.locality("a", 0, 1, List.of(backend.port()))));
        routes.add(Xds.route("/" + cluster(kind) + ".", cluster(kind)));
      }
      routes.add(Xds.route("", "good"));
      mesh.controlPlane.serve(Xds.routes("routes", Xds.host("*", routes.toArray(String[]::new))));
      Await.until(
          "the backends are known",
          () -> backends.values().stream().allMatch(b -> lb().contains(":" + b.port())));
      Map<MethodType, CompletableFuture<End>> ends = new EnumMap<>(MethodType.class);
      for (MethodType kind : KINDS) {
        ends.put(kind, call(kind, fault.at(), deadline));
      }
      Duration longest = Duration.ZERO;
      for (MethodType kind : KINDS) {
        End end = ends.get(kind).get(LONG.plus(GRACE).toSeconds(), TimeUnit.SECONDS);
        assertThat(end.status.getCode()).as(kind + ": " + end.status).isIn(fault.codes());
        longest = end.after.compareTo(longest) > 0 ? end.after : longest;
      }
      Await.until("no request is counted any more", FaultMatrixIT::lb, () -> activeOfFaults() == 0);
      mesh.controlPlane.serve(Xds.routesTo("routes", "good"));
      Await.until(
          "no cluster of a fault is left in the tree",
          FaultMatrixIT::lb,
          () -> !lb().contains("faulty"));
      Await.until(
          "no connection, and so no stream, is left",
          () -> backends.values().stream().allMatch(FaultyBackend::isDeserted));
      return longest;
    } finally {
      for (FaultyBackend backend : backends.values()) {
        backend.close();
      }
    }
  }

  private static String lb() {
    return mesh.admin().get("/lb").body();
  }

  /**
   * How a call ended.
   *
   * @param after how long it took
   */
  private record End(Status status, Duration after) {}

  private static String cluster(MethodType kind) {
    return "faulty_" + kind.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Makes a call. An app that streams goes on without end, except where the fault waits for the
   * end.
   */
  private static CompletableFuture<End> call(MethodType kind, Phase at, Duration deadline) {
    ClientCall<String, String> call =
        app.newCall(Text.method(cluster(kind) + ".Service/Call", kind), CallOptions.DEFAULT);
    var headers = new Metadata();
    headers.put(TIMEOUT, deadline.toMillis() + "m");
    var end = new CompletableFuture<End>();
    long start = WaitingClock.nanoTime();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(String message) {
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(new End(status, Duration.ofNanos(WaitingClock.nanoTime() - start)));
          }
        },
        headers);
    call.request(2);
    call.sendMessage("first");
    if (kind.clientSendsOneMessage() || at == Phase.END) {
      call.halfClose();
    }
    return end;
  }

  /** Requests that count in the clusters of a fault, at their endpoints and circuit breakers. */
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
    Matcher inFlight = IN_FLIGHT.matcher(node.get("detail").getAsString());
    if (inFlight.find()) {
      active += Integer.parseInt(inFlight.group(1));
    }
    for (JsonElement endpoint : node.getAsJsonArray("endpoints")) {
      active += endpoint.getAsJsonObject().get("active_requests").getAsInt();
    }
    for (JsonElement child : node.getAsJsonArray("children")) {
      active += active(child.getAsJsonObject());
    }
    return active;
  }
}
