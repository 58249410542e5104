package io.outrigger.observe.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.calls.MethodStats;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.memory.MemoryView;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.PeerErrors;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.LbObserver.WeightUpdate;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.lb.view.OutlierEvent.UnejectReason;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.status.XdsStatusView;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricsTextTest {
  private static final MemoryView MEMORY =
      new MemoryView(
          new MemoryView.Held(5, 70),
          new MemoryView.Held(6, 80),
          new MemoryView.Held(11, 90),
          List.of(
              new MemoryView.EndedCount(PeerErrors.Side.APP, 3),
              new MemoryView.EndedCount(PeerErrors.Side.BACKEND, 4)));

  private static final MetricsView.ProcessFigures PROCESS =
      new MetricsView.ProcessFigures(
          7,
          Optional.of(2L),
          3,
          MEMORY,
          List.of(2_000_000L, 0L),
          List.of(new PeerErrors.EndedCount(PeerErrors.Side.APP, Http2Error.ENHANCE_YOUR_CALM, 4)));

  private static final EndpointAddress ADDRESS = new EndpointAddress("10.0.0.1", 80);

  private static Map<String, EndpointTally> states(LbNode... trees) {
    Map<String, EndpointTally> states = new HashMap<>();
    for (LbNode tree : trees) {
      Samples.show(tree, states.computeIfAbsent(tree.name(), name -> new EndpointTally()));
    }
    return states;
  }

  /** RFC 9110 section 12.4.2. The first value is that of Prometheus 3. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
            + "application/openmetrics-text;version=0.0.1;q=0.5,"
            + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,*/*;q=0.2 | true",
        "application/openmetrics-text | true",
        "Application/OpenMetrics-Text ; Q=0.001 | true",
        "text/plain, application/openmetrics-text | true",
        "text/plain;q=1, application/openmetrics-text;q=0 | false",
        "application/openmetrics-text;q=0.000 | false",
        "text/plain;version=0.0.4, application/openmetrics-text;q=0.9 | false",
        "text/plain;q=0.9, text/plain;q=0.1, application/openmetrics-text; q=0.5 | false",
        "application/openmetrics-text2, */* | false",
        "*/* | false",
        "text/*, application/*;q=0.9 | false",
        "application/openmetrics-text;q=0.1, */* | false",
        "application/openmetrics-text;q=0.5, text/plain;q=0, text/*;q=0.9 | true",
        "application/openmetrics-text;q=0.5, */*;q=0.5 | true",
        "text/plain;q=0.5, application/* | true",
        ",;,q=1 | false",
        "\"\" | false",
      })
  void theClientChoosesTheFormat(String accept, boolean isOpenMetrics) {
    assertThat(MetricsText.accepted(accept).contentType())
        .startsWith(isOpenMetrics ? "application/openmetrics-text; " : "text/plain; ");
  }

  @Conformance({"A78-01", "A88-39"})
  @Test
  void xdsInstrumentsCarryTheNamesAndLabelsOfTheSpec() {
    var server =
        new XdsStatusView.Server(
            "cp:443",
            true,
            true,
            true,
            Optional.empty(),
            3,
            2,
            1,
            1,
            Map.of("lds", new XdsStatusView.Updates(4, 1)));
    var view = view("", server);

    assertThat(lines(view, "grpc_xds_client_"))
        .contains(
            "grpc_xds_client_connected{grpc_target=\"#all\",grpc_xds_server=\"cp:443\"} 1.0",
            "grpc_xds_client_server_failure_total{grpc_target=\"#all\",grpc_xds_server=\"cp:443\"}"
                + " 1.0",
            "grpc_xds_client_resource_updates_valid_total{grpc_target=\"#all\","
                + "grpc_xds_resource_type=\"envoy.config.listener.v3.Listener\","
                + "grpc_xds_server=\"cp:443\"} 4.0",
            "grpc_xds_client_resource_updates_invalid_total{grpc_target=\"#all\","
                + "grpc_xds_resource_type=\"envoy.config.listener.v3.Listener\","
                + "grpc_xds_server=\"cp:443\"} 1.0",
            "grpc_xds_client_resource_updates_valid_total{grpc_target=\"#all\","
                + "grpc_xds_resource_type=\"envoy.config.cluster.v3.Cluster\","
                + "grpc_xds_server=\"cp:443\"} 0.0",
            "grpc_xds_client_resources{grpc_target=\"#all\",grpc_xds_authority=\"#old\","
                + "grpc_xds_cache_state=\"nacked_but_cached\","
                + "grpc_xds_resource_type=\"envoy.config.cluster.v3.Cluster\"} 2.0",
            "grpc_xds_client_resources{grpc_target=\"#all\",grpc_xds_authority=\"east\","
                + "grpc_xds_cache_state=\"requested\","
                + "grpc_xds_resource_type=\"envoy.config.endpoint.v3.ClusterLoadAssignment\"} 1.0");
  }

  @Conformance("A78-01")
  @Test
  void aServerThatNobodyAsksIsNeitherConnectedNorBroken() {
    var standby =
        new XdsStatusView.Server(
            "b:443", false, false, false, Optional.empty(), 0, 0, 0, 0, Map.of());

    assertThat(lines(view("", standby), "grpc_xds_client_connected")).isEmpty();
  }

  @Test
  void serversOfOneUriAreOneInTheirLabels() {
    var updates = Map.of("lds", new XdsStatusView.Updates(4, 1));
    var well =
        new XdsStatusView.Server("cp:443", true, true, true, Optional.empty(), 1, 0, 2, 0, updates);
    var broken =
        new XdsStatusView.Server(
            "cp:443", true, false, false, Optional.empty(), 1, 0, 3, 0, updates);
    var standby =
        new XdsStatusView.Server(
            "cp:443", false, false, false, Optional.empty(), 0, 0, 0, 0, Map.of());
    String labels = "{grpc_target=\"#all\",grpc_xds_server=\"cp:443\"} ";

    assertThat(lines(view("", well, standby), "grpc_xds_client_connected"))
        .containsExactly("grpc_xds_client_connected" + labels + "1.0");
    assertThat(lines(view("", well, broken, standby), "grpc_xds_client_"))
        .contains(
            "grpc_xds_client_connected" + labels + "0.0",
            "grpc_xds_client_server_failure_total" + labels + "5.0",
            "grpc_xds_client_resource_updates_valid_total{grpc_target=\"#all\","
                + "grpc_xds_resource_type=\"envoy.config.listener.v3.Listener\","
                + "grpc_xds_server=\"cp:443\"} 8.0",
            "grpc_xds_client_resource_updates_invalid_total{grpc_target=\"#all\","
                + "grpc_xds_resource_type=\"envoy.config.listener.v3.Listener\","
                + "grpc_xds_server=\"cp:443\"} 2.0");
  }

  @Conformance("A50-54")
  @Test
  void outliersCarryTheNamesAndLabelsOfTheSpec() {
    var counters = new LbCounters();
    LbObserver observer = counters.of("xds:///orders", event -> {});
    observer.onEvent(ejected());
    observer.onEvent(ejected());
    observer.onEvent(spared(OutlierEvent.UnenforcedReason.MAX_EJECTION_OVERFLOW));
    observer.onEvent(spared(OutlierEvent.UnenforcedReason.ENFORCEMENT_PERCENTAGE));
    observer.onEvent(
        new OutlierEvent.Unejected(
            "pay", ADDRESS, Instant.EPOCH, Instant.EPOCH, 1, UnejectReason.TIME_IS_OVER));
    var view = metrics(List.of(), List.of(), new XdsStatusView(List.of()), counters.counts());

    List<String> lines =
        written(view).lines().filter(line -> line.startsWith("grpc_lb_outlier_detection")).toList();

    assertThat(lines)
        .containsExactlyInAnyOrder(
            "grpc_lb_outlier_detection_ejections_enforced_total{"
                + "grpc_lb_backend_service=\"pay\","
                + "grpc_lb_outlier_detection_detection_method=\"success_rate\","
                + "grpc_target=\"xds:///orders\"} 2.0",
            "grpc_lb_outlier_detection_ejections_unenforced_total{"
                + "grpc_lb_backend_service=\"pay\","
                + "grpc_lb_outlier_detection_detection_method=\"failure_percentage\","
                + "grpc_lb_outlier_detection_unenforced_reason=\"max_ejection_overflow\","
                + "grpc_target=\"xds:///orders\"} 1.0",
            "grpc_lb_outlier_detection_ejections_unenforced_total{"
                + "grpc_lb_backend_service=\"pay\","
                + "grpc_lb_outlier_detection_detection_method=\"failure_percentage\","
                + "grpc_lb_outlier_detection_unenforced_reason=\"enforcement_percentage\","
                + "grpc_target=\"xds:///orders\"} 1.0");
  }

  @Conformance({"A94-01", "A89-01"})
  @Test
  void connectionsCarryTheNamesAndLabelsOfTheSpec() {
    var counters = new LbCounters();
    LbObserver observer = counters.of("xds:///orders", event -> {});
    var here = new Locality("r", "a", "");
    var there = new Locality("r", "b", "s");
    for (int i = 0; i < 3; i++) {
      observer.onConnection(
          new ConnectionEvent.Group("pay", here, false), new ConnectionEvent.Made());
    }
    observer.onConnection(
        new ConnectionEvent.Group("pay", here, false), new ConnectionEvent.Failed());
    observer.onConnection(
        new ConnectionEvent.Group("pay", here, false), new ConnectionEvent.Lost("GOAWAY NO_ERROR"));
    observer.onConnection(
        new ConnectionEvent.Group("pay", here, false), new ConnectionEvent.Moved(1, there));

    String labels =
        "grpc_lb_backend_service=\"pay\","
            + "grpc_lb_locality=\"{region=\\\"r\\\", zone=\\\"a\\\", sub_zone=\\\"\\\"}\",";
    String moved =
        "grpc_lb_backend_service=\"pay\","
            + "grpc_lb_locality=\"{region=\\\"r\\\", zone=\\\"b\\\", sub_zone=\\\"s\\\"}\",";
    assertThat(lines(counters, "grpc_subchannel_"))
        .contains(
            "grpc_subchannel_connection_attempts_succeeded_total{"
                + labels
                + "grpc_target=\"xds:///orders\"} 3.0",
            "grpc_subchannel_connection_attempts_failed_total{"
                + labels
                + "grpc_target=\"xds:///orders\"} 1.0",
            "grpc_subchannel_disconnections_total{grpc_disconnect_error=\"GOAWAY NO_ERROR\","
                + labels
                + "grpc_target=\"xds:///orders\"} 1.0",
            "grpc_subchannel_open_connections{"
                + labels
                + "grpc_security_level=\"none\",grpc_target=\"xds:///orders\"} 1.0",
            "grpc_subchannel_open_connections{"
                + moved
                + "grpc_security_level=\"none\",grpc_target=\"xds:///orders\"} 1.0");
  }

  @Conformance({"A118-01", "A94-01"})
  @Test
  void connectionsWithTlsSayHowSecureTheyAreAndWhatHandshakesCameTo() {
    var counters = new LbCounters();
    LbObserver observer = counters.of("xds:///orders", event -> {});
    var group = new ConnectionEvent.Group("pay", new Locality("", "", ""), true);
    observer.onConnection(group, new ConnectionEvent.Handshaken(HandshakeResult.SUCCESS));
    observer.onConnection(group, new ConnectionEvent.Made());
    for (int i = 0; i < 2; i++) {
      observer.onConnection(
          group, new ConnectionEvent.Handshaken(HandshakeResult.CERTIFICATE_EXPIRED));
    }

    String labels =
        "grpc_lb_backend_service=\"pay\","
            + "grpc_lb_locality=\"{region=\\\"\\\", zone=\\\"\\\", sub_zone=\\\"\\\"}\",";
    assertThat(lines(counters, "grpc_subchannel_open"))
        .containsExactly(
            "grpc_subchannel_open_connections{"
                + labels
                + "grpc_security_level=\"privacy_and_integrity\",grpc_target=\"xds:///orders\"}"
                + " 1.0");
    String resumed = ",grpc_tls_handshake_resumed=\"FULL_HANDSHAKE\"} ";
    String target = "grpc_target=\"xds:///orders\",";
    assertThat(lines(counters, "grpc_client_tls_handshakes"))
        .containsExactlyInAnyOrder(
            "grpc_client_tls_handshakes_total{"
                + labels
                + target
                + "grpc_tls_handshake_result=\"SUCCESS\""
                + resumed
                + "1.0",
            "grpc_client_tls_handshakes_total{"
                + labels
                + target
                + "grpc_tls_handshake_result=\"CERTIFICATE_EXPIRED\""
                + resumed
                + "2.0");
  }

  @Conformance({"A78-02", "A89-01"})
  @Test
  void updatesOfWeightsCarryTheNamesAndLabelsOfTheSpec() {
    var counters = new LbCounters();
    LbObserver observer = counters.of("xds:///orders", event -> {});
    observer.onWeights(new WeightUpdate("pay", "", true, 2, 1, new double[3]));
    observer.onWeights(new WeightUpdate("pay", "", false, 0, 1, new double[] {0, 5, 60}));
    observer.onWeights(new WeightUpdate("pay", "", true, 0, 4, new double[0]));

    String labels =
        "grpc_lb_backend_service=\"pay\",grpc_lb_locality=\"\",grpc_target=\"xds:///orders\"";
    assertThat(lines(counters, "grpc_lb_wrr_"))
        .contains(
            "grpc_lb_wrr_rr_fallback_total{" + labels + "} 2.0",
            "grpc_lb_wrr_endpoint_weight_not_yet_usable_total{" + labels + "} 2.0",
            "grpc_lb_wrr_endpoint_weight_stale_total{" + labels + "} 6.0",
            "grpc_lb_wrr_endpoint_weights_bucket{" + labels + ",le=\"0.0\"} 4",
            "grpc_lb_wrr_endpoint_weights_bucket{" + labels + ",le=\"5.0\"} 5",
            "grpc_lb_wrr_endpoint_weights_bucket{" + labels + ",le=\"75.0\"} 6",
            "grpc_lb_wrr_endpoint_weights_bucket{" + labels + ",le=\"+Inf\"} 6",
            "grpc_lb_wrr_endpoint_weights_count{" + labels + "} 6",
            "grpc_lb_wrr_endpoint_weights_sum{" + labels + "} 65.0");
  }

  @Test
  void clustersBeyondTheBoundAreCountedAsOthers() {
    var counters = new LbCounters();
    LbObserver observer = counters.of("xds:///orders", event -> {});
    var somewhere = new Locality("", "", "");
    for (int i = 0; i < LbCounters.MAX_PLACES + 10; i++) {
      observer.onConnection(
          new ConnectionEvent.Group("c" + i, somewhere, false), new ConnectionEvent.Made());
    }

    assertThat(lines(counters, "grpc_subchannel_open_connections"))
        .hasSize(LbCounters.MAX_PLACES + 1);
    assertThat(lines(counters, "grpc_subchannel_open_connections"))
        .contains(
            "grpc_subchannel_open_connections{grpc_lb_backend_service=\"other\","
                + "grpc_lb_locality=\"\",grpc_security_level=\"none\","
                + "grpc_target=\"xds:///orders\"} 10.0");
  }

  @Test
  void clustersWithLongNamesAreCountedAsOthers() {
    var counters = new LbCounters();
    String name = "c".repeat(MethodStats.MAX_NAMES + 1);
    var group = new ConnectionEvent.Group(name, new Locality("", "", ""), false);

    counters.of("xds:///orders", event -> {}).onConnection(group, new ConnectionEvent.Made());
    counters.of("xds:///orders", event -> {}).onConnection(group, new ConnectionEvent.Made());

    assertThat(lines(counters, "grpc_subchannel_open_connections"))
        .singleElement()
        .asString()
        .startsWith("grpc_subchannel_open_connections{grpc_lb_backend_service=\"other\",")
        .endsWith(" 2.0");
  }

  @Test
  void outliersOfClustersBeyondTheBoundAreCountedAsOthers() {
    var counters = new LbCounters();
    for (int i = 0; i < LbCounters.MAX_PLACES + 10; i++) {
      counters.of("xds:///orders", event -> {}).onEvent(ejected("c" + i));
    }

    assertThat(lines(counters, "grpc_lb_outlier_detection_ejections_enforced"))
        .hasSize(LbCounters.MAX_PLACES + 1)
        .anyMatch(line -> line.contains("\"other\"") && line.endsWith(" 10.0"));

    var group = new ConnectionEvent.Group("new", new Locality("", "", ""), false);
    counters.of("xds:///orders", event -> {}).onConnection(group, new ConnectionEvent.Made());
    assertThat(lines(counters, "grpc_subchannel_open_connections"))
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("\"new\"");
  }

  private static List<String> lines(LbCounters counters, String prefix) {
    var view = metrics(List.of(), List.of(), new XdsStatusView(List.of()), counters.counts());
    return written(view).lines().filter(line -> line.startsWith(prefix)).toList();
  }

  private static OutlierEvent ejected() {
    return ejected("pay");
  }

  private static OutlierEvent ejected(String cluster) {
    return new OutlierEvent.Ejected(
        cluster,
        ADDRESS,
        Instant.EPOCH,
        new OutlierEvent.LowSuccessRate(0, 0.8, 0.4, 0.04, 100, 5),
        new OutlierEvent.Share(0, 5),
        new OutlierEvent.Share(1, 5),
        1,
        Instant.EPOCH);
  }

  private static OutlierEvent spared(OutlierEvent.UnenforcedReason reason) {
    return new OutlierEvent.Unenforced(
        "pay",
        ADDRESS,
        Instant.EPOCH,
        new OutlierEvent.HighFailurePercentage(90, 85, 50, 5),
        new OutlierEvent.Share(1, 5),
        0,
        reason);
  }

  @Test
  void theProcessShowsWhatItTakes() {
    assertThat(text(new XdsStatusView(List.of()), List.of()))
        .contains("outrigger_memory_held_bytes{kind=\"heap\"} 5.0\n")
        .contains("outrigger_memory_held_bytes{kind=\"direct\"} 6.0\n")
        .contains("outrigger_memory_limit_bytes{kind=\"heap\"} 70.0\n")
        .contains("outrigger_memory_limit_bytes{kind=\"direct\"} 80.0\n")
        .contains("outrigger_memory_limit_bytes{kind=\"total\"} 90.0\n")
        .contains("outrigger_memory_ended_total{side=\"app\",what=\"connection\"} 3.0\n")
        .contains("outrigger_memory_ended_total{side=\"backend\",what=\"connection\"} 4.0\n")
        .contains("outrigger_event_loop_lag_seconds{loop=\"0\"} 0.002\n")
        .contains("outrigger_event_loop_lag_seconds{loop=\"1\"} 0.0\n")
        .contains("outrigger_control_loop_failures_total 7.0\n")
        .contains("outrigger_drain_requests_cut_total 3.0\n")
        .containsPattern("jvm_memory_used_bytes\\{area=\"heap\"} [1-9]")
        .containsPattern("jvm_memory_used_bytes\\{area=\"nonheap\"} [1-9]")
        .contains("jvm_memory_used_bytes{area=\"direct\"} 6.0\n")
        .containsPattern("process_cpu_seconds_total [0-9.]*[1-9]")
        .containsPattern("process_start_time_seconds [1-9]");
  }

  @EnabledOnOs(OS.LINUX)
  @Test
  void residentMemoryIsThatOfTheProcess() throws Exception {
    String metrics = text(new XdsStatusView(List.of()), List.of());

    double said =
        metrics
            .lines()
            .filter(line -> line.startsWith("process_resident_memory_bytes "))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
            .sum();
    String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ", -1);
    double resident = Long.parseLong(pages[1]) * 4096.0;
    assertThat(said).isBetween(resident / 8, resident * 8); // a page may be larger, time passes
  }

  @Test
  void aForwardShowsItsCallsAndItsEndpoints() {
    Forward calls = idle();
    calls.onConnectionRefused(0);
    var forward =
        new MetricsView.Forward("orders", "xds:///orders", true, 3, calls.totals(), states(tree()));

    assertThat(text(new XdsStatusView(List.of()), List.of(forward)))
        .contains("outrigger_forward_ready{forward=\"orders\"} 1.0")
        .contains("outrigger_downstream_connections{forward=\"orders\"} 3.0")
        .contains("outrigger_downstream_connections_refused_total{forward=\"orders\"} 1.0")
        .contains("outrigger_requests_started_total{forward=\"orders\"} 0.0")
        .contains("outrigger_request_duration_seconds_count{forward=\"orders\"} 0")
        .contains("outrigger_endpoints{cluster=\"pay\",forward=\"orders\",state=\"READY\"} 2.0")
        .contains("outrigger_build_info{java=");
  }

  @Test
  void aClientForOneTargetIsToldApart() {
    var server =
        new XdsStatusView.Server(
            "cp:443", true, true, true, Optional.empty(), 3, 2, 1, 1, Map.of());

    assertThat(text(view("xds:///orders", server), List.of()))
        .contains(
            "grpc_xds_client_connected{grpc_target=\"xds:///orders\",grpc_xds_server=\"cp:443\"}"
                + " 1.0")
        .contains(
            "grpc_xds_client_resources{grpc_target=\"xds:///orders\",grpc_xds_authority=\"east\","
                + "grpc_xds_cache_state=\"requested\","
                + "grpc_xds_resource_type=\"envoy.config.endpoint.v3.ClusterLoadAssignment\"} 1.0");
  }

  private static XdsStatusView view(String scope, XdsStatusView.Server... servers) {
    return new XdsStatusView(
        List.of(
            new XdsStatusView.Client(
                scope,
                List.of(servers),
                List.of(new XdsStatusView.Authority("", List.of("cp:443", "b:443"), 1)),
                List.of(kept(), kept(), requested()))));
  }

  private static List<String> lines(XdsStatusView xds, String prefix) {
    return text(xds, List.of()).lines().filter(line -> line.startsWith(prefix)).toList();
  }

  private static String text(XdsStatusView xds, List<MetricsView.Forward> forwards) {
    return written(metrics(forwards, List.of(), xds, new LbCounters().counts()));
  }

  private static String written(MetricsView view) {
    var bytes = new ByteArrayOutputStream();
    MetricsText.accepted("").write(view, bytes);
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static Forward idle() {
    TargetResolver none = authority -> Outcome.failed(RpcStatus.unavailable("none"));
    return new Forward(
        "orders",
        DefaultSettings.forward("node"),
        none,
        call -> {},
        CallTracer.NONE,
        DefaultSettings.MEMORY,
        1);
  }

  private static LbNode tree() {
    var endpoint =
        new LbEndpoint(
            new Backend(
                new Endpoint(List.of(ADDRESS), HealthStatus.HEALTHY, 1, ""),
                new Locality("r", "z", ""),
                0),
            new LbEndpoint.Link(Connectivity.READY, SubchannelCalls.NONE));
    var leaf =
        new LbNode(
            "r/z/",
            "round_robin",
            Connectivity.READY,
            Map.of(),
            "",
            List.of(),
            List.of(endpoint, endpoint),
            true);
    return new LbNode(
        "pay", "priority", Connectivity.READY, Map.of(), "", List.of(leaf), List.of(), true);
  }

  private static XdsStatusView.Resource kept() {
    var error = new DataError(RpcStatus.unavailable("bad"), "2", Optional.empty(), Instant.EPOCH);
    return new XdsStatusView.Resource(
        "cds",
        ResourceType.CLUSTER.typeUrl(),
        "pay",
        "nacked",
        "1",
        Optional.of(Instant.EPOCH),
        Optional.of(new RawResource("type", new byte[0])),
        Optional.of(error),
        Optional.empty(),
        List.of());
  }

  private static XdsStatusView.Resource requested() {
    return new XdsStatusView.Resource(
        "eds",
        ResourceType.ENDPOINT.typeUrl(),
        "xdstp://east/envoy.config.endpoint.v3.ClusterLoadAssignment/pay",
        "requested",
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  @Conformance("OPS-07")
  @Test
  void servedAddressesCountDecisionsHandshakesAndRefusedConnections() {
    Forward calls = idle();
    calls.onConnectionRefused(0);
    var serve =
        new MetricsView.Serve(
            "pay",
            true,
            5,
            calls.totals(),
            List.of(
                new MetricsView.Decisions("rbac", "orders", true, 3),
                new MetricsView.Decisions("rbac", "", false, 2)),
            Map.of(HandshakeResult.SUCCESS, 4L));

    String text = written(serving(serve, serve)); // handshakes have no label for the address

    assertThat(text)
        .contains(
            "outrigger_rbac_decisions_total{filter=\"rbac\",policy=\"orders\",serve=\"pay\","
                + "verdict=\"allowed\"} 6.0\n",
            "outrigger_rbac_decisions_total{filter=\"rbac\",policy=\"\",serve=\"pay\","
                + "verdict=\"denied\"} 4.0\n",
            "grpc_server_tls_handshakes_total{grpc_tls_handshake_result=\"SUCCESS\","
                + "grpc_tls_handshake_resumed=\"FULL_HANDSHAKE\"} 8.0\n",
            "outrigger_downstream_connections_refused_total{serve=\"pay\"} 2.0\n",
            "outrigger_audit_log_dropped_total 2.0\n");
  }

  private static MetricsView serving(MetricsView.Serve... serves) {
    return metrics(
        List.of(), List.of(serves), new XdsStatusView(List.of()), new LbCounters().counts());
  }

  /** Returns a view that has a value for every instrument which needs no call and no policy. */
  static MetricsView everything() {
    var server =
        new XdsStatusView.Server(
            "cp:443", true, true, true, Optional.empty(), 3, 2, 1, 1, Map.of());
    var forward =
        new MetricsView.Forward(
            "orders", "xds:///orders", true, 3, idle().totals(), states(tree()));
    var serve = new MetricsView.Serve("pay", true, 5, idle().totals(), List.of(), Map.of());
    return metrics(List.of(forward), List.of(serve), view("", server), new LbCounters().counts());
  }

  private static MetricsView metrics(
      List<MetricsView.Forward> forwards,
      List<MetricsView.Serve> serves,
      XdsStatusView xds,
      LbCounters.Counts balancing) {
    return new MetricsView(
        "1.2.3",
        forwards,
        serves,
        xds,
        balancing,
        new OverlayStatus(List.of(), List.of()),
        List.of(),
        PROCESS,
        Set.of());
  }
}
