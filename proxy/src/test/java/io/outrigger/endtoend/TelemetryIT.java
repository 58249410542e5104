package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.trace.v1.Span;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Traces (A72) and metrics at an OTLP collector. */
@Timeout(600)
class TelemetryIT {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String APP_SPAN = "b7ad6b7169203331";
  private static final String PARENT = "00-" + TRACE + "-" + APP_SPAN + "-01";
  private static final List<String> SOON =
      List.of("otel.bsp.schedule.delay", "otel.metric.export.interval");

  private final Mesh mesh = new Mesh();
  private Collector collector;

  @BeforeEach
  void open() throws Exception {
    collector = new Collector();
    SOON.forEach(delay -> System.setProperty(delay, "100"));
  }

  @AfterEach
  void close() {
    mesh.close();
    collector.close();
    SOON.forEach(System::clearProperty);
  }

  private Backend serve() throws Exception {
    Backend backend = mesh.backend("a");
    serve(backend.port());
    return backend;
  }

  private void serve(int port) {
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", Xds.locality("z", 0, 1, List.of(port))),
        Xds.listener("orders", "routes"),
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                Xds.routeTo(
                    "",
                    """
                    {"cluster":"A","retry_policy":{"retry_on":"unavailable","num_retries":1,
                     "retry_back_off":{"base_interval":"0.001s"}}}"""))));
  }

  private void trace() throws Exception {
    mesh.with(Flag.OTLP, collector.endpoint()).startReady();
  }

  private Span span(String name) {
    Await.until("a span " + name, () -> spans(name).size() == 1);
    return spans(name).get(0);
  }

  /** What the collector has of it; those of one export come one after the other. */
  private Metric metric(String name) {
    Await.until("the metric " + name, () -> collector.metrics().containsKey(name));
    return collector.metrics().get(name);
  }

  private List<Span> spans(String name) {
    return collector.spans().stream().filter(span -> span.getName().equals(name)).toList();
  }

  private static Map<String, String> attributes(List<KeyValue> attributes) {
    return attributes.stream()
        .collect(
            Collectors.toMap(
                KeyValue::getKey,
                each ->
                    switch (each.getValue().getValueCase()) {
                      case INT_VALUE -> Long.toString(each.getValue().getIntValue());
                      case BOOL_VALUE -> Boolean.toString(each.getValue().getBoolValue());
                      default -> each.getValue().getStringValue();
                    }));
  }

  private static String hex(ByteString id) {
    return HexFormat.of().formatHex(id.toByteArray());
  }

  @Test
  void aCallIsASpanBelowTheAppsAndEachAttemptOneBelowThat() throws Exception {
    Backend backend = serve();
    trace();

    assertThat(mesh.app().call("test.Pay/Charge", "traceparent", PARENT).backend()).isEqualTo("a");

    Span call = span("Sent.test.Pay.Charge");
    Span attempt = span("Attempt.test.Pay.Charge");
    assertThat(hex(call.getTraceId())).isEqualTo(TRACE);
    assertThat(hex(call.getParentSpanId())).isEqualTo(APP_SPAN);
    assertThat(hex(attempt.getTraceId())).isEqualTo(TRACE);
    assertThat(attempt.getParentSpanId()).isEqualTo(call.getSpanId());
    assertThat(backend.lastHeard().header("traceparent"))
        .isEqualTo("00-" + TRACE + "-" + hex(attempt.getSpanId()) + "-01");
    assertThat(attributes(attempt.getAttributesList()))
        .containsEntry("previous-rpc-attempts", "0")
        .containsEntry("transparent-retry", "false");
    assertThat(attempt.getEventsList())
        .extracting(Span.Event::getName)
        .containsSubsequence("Outbound message", "Inbound message");
    assertThat(attempt.getEventsList())
        .filteredOn(event -> event.getName().equals("Inbound message"))
        .extracting(event -> attributes(event.getAttributesList()))
        .containsExactly(Map.of("sequence-number", "0", "message-size", "1"));
    assertThat(call.getStatus().getCodeValue()).isEqualTo(1);
    assertThat(collector.resources())
        .allSatisfy(
            resource ->
                assertThat(attributes(resource.getAttributesList()))
                    .containsEntry("service.name", "outrigger"));
  }

  @Test
  void aServedCallIsASpanOfAServerBesideTheApps() throws Exception {
    RefusingPort port = mesh.keep(RefusingPort.any());
    Backend app = mesh.backend("app");
    String listen = "127.0.0.1:" + port.number();
    mesh.controlPlane.serve(
        Xds.serverListener("inbound/" + listen, "127.0.0.1", port.number(), Xds.rds("in")),
        Xds.servedRoutes("in", "/"));
    mesh.with(Flag.FORWARD)
        .with(Flag.SERVE, listen + "=127.0.0.1:" + app.port())
        .with(Flag.OTLP, collector.endpoint())
        .start();
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    App caller =
        mesh.keep(new App(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number())));

    assertThat(caller.call("test.Pay/Charge", "traceparent", PARENT).backend()).isEqualTo("app");

    Span call = span("Recv.test.Pay.Charge");
    assertThat(call.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
    assertThat(hex(call.getTraceId())).isEqualTo(TRACE);
    assertThat(hex(call.getParentSpanId())).isEqualTo(APP_SPAN);
    assertThat(call.getEventsList())
        .extracting(Span.Event::getName)
        .containsExactly("Inbound message", "Outbound message");
    assertThat(call.getStatus().getCodeValue()).isEqualTo(1);
    assertThat(app.lastHeard().header("traceparent")).isEqualTo(PARENT);
    assertThat(spans("Attempt.test.Pay.Charge")).isEmpty();
  }

  @Test
  void aFailureIsTriedAgainAndSaidOnEverySpan() throws Exception {
    Backend backend = serve();
    backend.answering(Status.UNAVAILABLE);
    trace();

    assertThat(mesh.app().call("test.Pay/Charge").code()).isEqualTo(Status.Code.UNAVAILABLE);

    Span call = span("Sent.test.Pay.Charge");
    Await.until("both attempts", () -> spans("Attempt.test.Pay.Charge").size() == 2);
    assertThat(spans("Attempt.test.Pay.Charge"))
        .allSatisfy(
            attempt -> {
              assertThat(attempt.getParentSpanId()).isEqualTo(call.getSpanId());
              assertThat(attempt.getStatus().getCodeValue()).isEqualTo(2);
              assertThat(attempt.getStatus().getMessage()).startsWith("UNAVAILABLE");
            })
        .extracting(attempt -> attributes(attempt.getAttributesList()).get("previous-rpc-attempts"))
        .containsExactly("0", "1");
    assertThat(call.getStatus().getMessage()).startsWith("UNAVAILABLE");
    assertThat(call.getParentSpanId()).isEqualTo(ByteString.EMPTY);
  }

  @Conformance("A121-02")
  @Test
  void waitsForConfigurationAreEvents() throws Exception {
    try (var port = new HeldPort(mesh.backend("a"))) {
      mesh.with(Flag.OTLP, collector.endpoint()).start();
      App app = mesh.app();
      var reply = app.waitingForReady().send("test.Pay/Charge");
      awaitQueued(1);
      serve(port.port());
      Await.until(
          "the cluster is known",
          () ->
              mesh.admin()
                  .get("/explain?path=/test.Pay/Charge")
                  .body()
                  .contains("is being connected"));
      var next = app.send("test.Pay/Next");
      awaitQueued(2); // on the same connection, so the first has looked at the cluster too

      port.release();

      assertThat(App.join(reply).backend()).isEqualTo("a");
      assertThat(App.join(next).backend()).isEqualTo("a");
    }
    assertThat(span("Sent.test.Pay.Charge").getEventsList())
        .extracting(Span.Event::getName)
        .containsExactly("Delayed name resolution complete");
    Span attempt = span("Attempt.test.Pay.Charge");
    assertThat(attempt.getEventsList())
        .extracting(Span.Event::getName)
        .startsWith("Delayed LB pick complete");
    Span call = span("Sent.test.Pay.Charge");
    assertThat(delays(call)).containsOnlyKeys("resolving");
    assertThat(delays(call).get("resolving")).contains("xds:///orders");
    assertThat(delays(attempt)).containsOnlyKeys("0:connecting");
    assertThat(delays(attempt).get("0:connecting")).contains("to connect");
  }

  private void awaitQueued(int calls) {
    Await.until(
        calls + " wait",
        () ->
            mesh.admin()
                .get("/metrics")
                .body()
                .contains("outrigger_requests_queued{forward=\"orders\"} " + calls));
  }

  /** What was waited for below {@code parent}: types, with the reason when the wait began. */
  private Map<String, String> delays(Span parent) {
    return spans("Delay").stream()
        .filter(delay -> delay.getParentSpanId().equals(parent.getSpanId()))
        .collect(
            Collectors.toMap(
                delay -> attributes(delay.getAttributesList()).get("grpc.delay_type"),
                delay -> {
                  Span.Event event = delay.getEvents(0);
                  assertThat(event.getName()).isEqualTo("Delay triggered");
                  return attributes(event.getAttributesList()).get("grpc.delay_reason");
                }));
  }

  @Test
  void whatTheAppDidNotSampleIsPassedOnAndNotSent() throws Exception {
    Backend backend = serve();
    trace();
    String unsampled = PARENT.substring(0, PARENT.length() - 1) + "0";

    mesh.app().call("test.Pay/Quiet", "traceparent", unsampled, "tracestate", "vendor=1");
    mesh.app().call("test.Pay/Charge", "traceparent", PARENT);

    assertThat(backend.heard().get(0).header("traceparent"))
        .startsWith("00-" + TRACE)
        .endsWith("-00");
    assertThat(backend.heard().get(0).header("tracestate")).isEqualTo("vendor=1");
    span("Sent.test.Pay.Charge");
    assertThat(spans("Sent.test.Pay.Quiet")).isEmpty();
  }

  @Test
  void theMetricsAreThoseOfTheScrapeUnderGrpcsNames() throws Exception {
    serve();
    trace();
    mesh.app().call("test.Pay/Charge");

    Metric connected = metric("grpc.xds_client.connected");
    assertThat(attributes(connected.getGauge().getDataPoints(0).getAttributesList()))
        .containsEntry("grpc.target", "#all")
        .containsKey("grpc.xds.server");
    assertThat(connected.getUnit()).isEqualTo("{bool}");
    Metric open = metric("grpc.subchannel.open_connections");
    assertThat(open.getUnit()).isEqualTo("{connection}");
    assertThat(open.hasSum() && !open.getSum().getIsMonotonic()).isTrue();
    assertThat(attributes(open.getSum().getDataPoints(0).getAttributesList()))
        .containsEntry("grpc.lb.backend_service", "A")
        .containsEntry("grpc.target", "xds:///orders")
        .containsKeys("grpc.lb.locality", "grpc.security_level");
    Metric attempts = metric("grpc.client.attempt.duration");
    assertThat(attempts.getUnit()).isEqualTo("s");
    assertThat(attempts.getHistogram().getDataPoints(0).getExplicitBoundsList())
        .hasSize(41)
        .startsWith(0.0, 1e-5, 5e-5)
        .endsWith(50.0, 100.0);
    assertThat(attributes(attempts.getHistogram().getDataPoints(0).getAttributesList()))
        .containsEntry("grpc.method", "other")
        .containsEntry("grpc.status", "OK")
        .containsEntry("grpc.target", "xds:///orders")
        .containsEntry("grpc.lb.backend_service", "A");
    assertThat(metric("grpc.client.attempt.started").getUnit()).isEqualTo("{attempt}");
    assertThat(metric("grpc.client.attempt.sent_total_compressed_message_size").getUnit())
        .isEqualTo("By");
    Await.until(
        "the call",
        () -> {
          Metric durations = collector.metrics().get("outrigger_request_duration");
          return durations != null
              && durations.getUnit().equals("s")
              && durations.getHistogram().getDataPoints(0).getCount() == 1;
        });
  }

  @Conformance("A72-01")
  @Test
  void withoutACollectorTraceContextIsLeftAlone() throws Exception {
    Backend backend = serve();
    mesh.startReady();

    mesh.app()
        .call("test.Pay/Charge", "traceparent", PARENT, "tracestate", "a=1,b=2", "b3", "1-2-1");
    assertThat(backend.lastHeard().header("traceparent")).isEqualTo(PARENT);
    assertThat(backend.lastHeard().header("tracestate")).isEqualTo("a=1,b=2");
    assertThat(backend.lastHeard().header("b3")).isEqualTo("1-2-1");

    mesh.app().callWithBinary("test.Pay/Charge", "grpc-trace-bin");
    assertThat(backend.lastHeard().bytes("grpc-trace-bin")).containsExactly(1, 2);
  }
}
