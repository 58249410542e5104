package io.outrigger.oracle;

import static io.outrigger.program.testing.mesh.MeshResources.assignment;
import static io.outrigger.program.testing.mesh.MeshResources.locality;
import static io.outrigger.program.testing.mesh.MeshResources.prefix;
import static io.outrigger.program.testing.mesh.MeshResources.route;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.config.cluster.v3.CircuitBreakers;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.SelfConfigSource;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment.Policy;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterStats;
import io.envoyproxy.envoy.config.endpoint.v3.UnnamedEndpointLoadMetricStats;
import io.envoyproxy.envoy.config.endpoint.v3.UpstreamLocalityStats;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.type.v3.FractionalPercent;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.services.CallMetricRecorder;
import io.grpc.xds.orca.OrcaMetricReportingServerInterceptor;
import io.outrigger.oracle.Client.Pending;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.LoadServer.Totals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is reported of the same calls: the sidecar and gRPC's own client must agree. */
class LoadOracleIT {
  private static final List<String> NODES = List.of("outrigger", "grpc-java");
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final int CALLS = 30;

  private final List<NamedBackend> backends = new ArrayList<>();
  private Twins twins;

  @BeforeEach
  void start() {
    twins = new Twins("orders");
    twins.loads().askForAll(INTERVAL);
  }

  @AfterEach
  void stop() {
    twins.close();
    backends.forEach(NamedBackend::close);
  }

  @Conformance({"A27-12", "A27-10", "A32-08", "A64-02"})
  @Test
  void theSameCallsGiveTheSameTotals() {
    NamedBackend good = backend(new NamedBackend("good"));
    NamedBackend bad =
        backend(new NamedBackend("bad", builder -> builder.intercept(new Aborting()), () -> {}));
    twins.cluster(reported("good"), assignment("good", locality("a", 0, 1, good.port())));
    twins.cluster(reported("bad"), assignment("bad", locality("b", 0, 1, bad.port())));
    twins.cluster(reported("dropped"), dropping("dropped", good));
    twins.cluster(refusing("refused"), assignment("refused", locality("a", 0, 1, good.port())));
    twins.serveRoutes(
        List.of(
            route(prefix("/good."), "good"),
            route(prefix("/bad."), "bad"),
            route(prefix("/dropped."), "dropped"),
            route(prefix("/refused."), "refused"),
            route(
                prefix("/" + NamedBackend.SILENT), // for as long as the reports take
                RouteAction.newBuilder()
                    .setCluster("good")
                    .setTimeout(com.google.protobuf.Duration.getDefaultInstance()))));

    List<Pending> inProgress = new ArrayList<>();
    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      for (String cluster : List.of("good", "bad", "dropped", "refused")) {
        var unused =
            client.askAll(Collections.nCopies(CALLS, Request.of("/" + cluster + ".Svc/Get")));
      }
      Request wait = Request.of("/" + NamedBackend.SILENT + "/Wait");
      inProgress.add(client.start(wait, CallOptions.DEFAULT));
    }

    awaitBoth("good", new Totals(CALLS + 1, CALLS, 0, 1, 0, Map.of()));
    awaitBoth("bad", new Totals(CALLS, 0, CALLS, 0, 0, Map.of()));
    awaitBoth("dropped", new Totals(0, 0, 0, 0, CALLS, Map.of("overload", (long) CALLS)));
    awaitBoth("refused", new Totals(0, 0, 0, 0, CALLS, Map.of()));
    inProgress.forEach(Pending::cancel);
    awaitBoth("good", new Totals(CALLS + 1, CALLS, 1, 0, 0, Map.of()));
  }

  /** An accepted difference: gRPC's client has no fields of their own for three metrics (A85). */
  @Conformance("A64-01")
  @Test
  void theSameReportsOfBackendsGiveTheSameSums() {
    NamedBackend backend =
        backend(
            new NamedBackend(
                "reporting",
                builder -> builder.intercept(OrcaMetricReportingServerInterceptor.getInstance()),
                () -> {
                  CallMetricRecorder recorder = CallMetricRecorder.getCurrent();
                  recorder.recordCpuUtilizationMetric(0.25);
                  recorder.recordApplicationUtilizationMetric(0.5);
                  recorder.recordMemoryUtilizationMetric(0.75);
                  recorder.recordNamedMetric("queue", 2);
                  recorder.recordNamedMetric("other", 3);
                }));
    Cluster cluster =
        reported("pay").toBuilder()
            .addLrsReportEndpointMetrics("cpu_utilization")
            .addLrsReportEndpointMetrics("mem_utilization")
            .addLrsReportEndpointMetrics("named_metrics.queue")
            .addLrsReportEndpointMetrics("unknown")
            .build();
    twins.cluster(cluster, assignment("pay", locality("a", 0, 1, backend.port())));
    twins.serveRoutes(List.of(route(prefix("/"), "pay")));

    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      var unused = client.askAll(Collections.nCopies(CALLS, Request.of("/pkg.Svc/Get")));
    }

    Map<String, List<Double>> wanted =
        Map.of(
            "cpu_utilization", List.of((double) CALLS, CALLS * 0.25),
            "mem_utilization", List.of((double) CALLS, CALLS * 0.75),
            "named_metrics.queue", List.of((double) CALLS, CALLS * 2.0));
    for (String node : NODES) {
      Await.until(
          node + " reports the metrics",
          () -> metrics(node, "pay").toString(),
          () -> metrics(node, "pay").equals(wanted));
    }
    assertThat(localities("outrigger", "pay")).anyMatch(UpstreamLocalityStats::hasCpuUtilization);
    assertThat(localities("grpc-java", "pay")).noneMatch(UpstreamLocalityStats::hasCpuUtilization);
  }

  /** An accepted difference: gRPC's client tells of localities in which nothing happened. */
  @Conformance("A64-03")
  @Test
  void aLocalityWithoutActivityIsLeftOut() {
    NamedBackend good = backend(new NamedBackend("good"));
    twins.cluster(reported("pay"), assignment("pay", locality("a", 0, 1, good.port())));
    twins.serveRoutes(List.of(route(prefix("/"), "pay")));
    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      assertThat(client.ask(Request.of("/pkg.Svc/Get"))).isEqualTo("good");
    }
    awaitBoth("pay", new Totals(1, 1, 0, 0, 0, Map.of()));

    Await.until(
        "both have reported more often than there was something to say",
        () -> NODES.stream().allMatch(node -> twins.loads().reports(node, "pay").size() > 3));

    assertThat(localities("outrigger", "pay")).noneMatch(LoadOracleIT::isIdle);
    assertThat(localities("grpc-java", "pay")).anyMatch(LoadOracleIT::isIdle);
  }

  private List<UpstreamLocalityStats> localities(String node, String cluster) {
    return twins.loads().reports(node, cluster).stream()
        .flatMap(stats -> stats.getUpstreamLocalityStatsList().stream())
        .toList();
  }

  private static boolean isIdle(UpstreamLocalityStats locality) {
    return locality.toBuilder()
        .clearLocality()
        .build()
        .equals(UpstreamLocalityStats.getDefaultInstance());
  }

  @Test
  void bothSayWhoTheyAreAndNameTheirLocalities() {
    NamedBackend good = backend(new NamedBackend("good"));
    twins.cluster(
        reported("pay").toBuilder()
            .setEdsClusterConfig(
                reported("pay").getEdsClusterConfig().toBuilder().setServiceName("pay-eds"))
            .build(),
        assignment("pay-eds", locality("a", 0, 1, good.port())));
    twins.serveRoutes(List.of(route(prefix("/"), "pay")));
    for (Client client : List.of(twins.outrigger(), twins.grpcJava())) {
      assertThat(client.ask(Request.of("/pkg.Svc/Get"))).isEqualTo("good");
    }

    awaitBoth("pay", new Totals(1, 1, 0, 0, 0, Map.of()));
    for (String node : NODES) {
      assertThat(twins.loads().requests(node).get(0).getNode().getClientFeaturesList())
          .contains("envoy.lrs.supports_send_all_clusters");
      assertThat(twins.loads().reports(node, "pay"))
          .extracting(ClusterStats::getClusterServiceName)
          .containsOnly("pay-eds");
      assertThat(twins.loads().reports(node, "pay"))
          .flatExtracting(ClusterStats::getUpstreamLocalityStatsList)
          .extracting(UpstreamLocalityStats::getLocality)
          .containsOnly(locality("a", 0, 1).getLocality());
    }
  }

  private void awaitBoth(String cluster, Totals wanted) {
    for (String node : NODES) {
      Await.until(
          node + " reports " + wanted + " of " + cluster,
          () -> twins.loads().totals(node, cluster).toString(),
          () -> twins.loads().totals(node, cluster).equals(wanted));
    }
  }

  /** Number of requests and sum by name, over all reports. */
  private Map<String, List<Double>> metrics(String node, String cluster) {
    Map<String, List<Double>> sums = new TreeMap<>();
    for (UpstreamLocalityStats locality : localities(node, cluster)) {

      add(sums, "cpu_utilization", locality.getCpuUtilization());
      add(sums, "mem_utilization", locality.getMemUtilization());
      add(sums, "application_utilization", locality.getApplicationUtilization());
      locality
          .getLoadMetricStatsList()
          .forEach(
              named ->
                  add(
                      sums,
                      named.getMetricName(),
                      UnnamedEndpointLoadMetricStats.newBuilder()
                          .setNumRequestsFinishedWithMetric(
                              named.getNumRequestsFinishedWithMetric())
                          .setTotalMetricValue(named.getTotalMetricValue())
                          .build()));
    }
    return sums;
  }

  private static void add(
      Map<String, List<Double>> sums, String name, UnnamedEndpointLoadMetricStats more) {
    if (more.getNumRequestsFinishedWithMetric() > 0) {
      sums.merge(
          name,
          List.of((double) more.getNumRequestsFinishedWithMetric(), more.getTotalMetricValue()),
          (one, other) -> List.of(one.get(0) + other.get(0), one.get(1) + other.get(1)));
    }
  }

  /** Ends every call with a failure. */
  private static final class Aborting implements ServerInterceptor {
    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
      call.close(Status.ABORTED, new Metadata());
      return new ServerCall.Listener<>() {};
    }
  }

  private NamedBackend backend(NamedBackend backend) {
    backends.add(backend);
    return backend;
  }

  private static Cluster reported(String name) {
    return MeshResources.cluster(name).toBuilder()
        .setLrsServer(ConfigSource.newBuilder().setSelf(SelfConfigSource.getDefaultInstance()))
        .build();
  }

  /** A cluster that takes no request. */
  private static Cluster refusing(String name) {
    return reported(name).toBuilder()
        .setCircuitBreakers(
            CircuitBreakers.newBuilder()
                .addThresholds(
                    CircuitBreakers.Thresholds.newBuilder().setMaxRequests(UInt32Value.of(0))))
        .build();
  }

  private static ClusterLoadAssignment dropping(String name, NamedBackend backend) {
    return assignment(name, locality("a", 0, 1, backend.port())).toBuilder()
        .setPolicy(
            Policy.newBuilder()
                .addDropOverloads(
                    Policy.DropOverload.newBuilder()
                        .setCategory("overload")
                        .setDropPercentage(FractionalPercent.newBuilder().setNumerator(100))))
        .build();
  }
}
