package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.program.options.Flag;
import io.outrigger.program.testing.LimitRow;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The time limits of A31 from the control plane to the call: each row of the tables is a route, and
 * each limit of a connection manager a listener. What holds is what the backend is told.
 */
@Timeout(300)
class TimeLimitIT {
  private static final List<LimitRow> ROWS = LimitRow.all();
  private static final List<String> LISTENERS =
      ROWS.stream().map(LimitRow::listener).distinct().toList();
  private static final Mesh MESH = new Mesh();
  private static final Backend BACKEND = MESH.backend("a");

  @BeforeAll
  static void start() throws Exception {
    String[] routes =
        ROWS.stream()
            .map(row -> Xds.routeTo("/" + service(row), action(row)))
            .toArray(String[]::new);
    MESH.controlPlane.serve(
        Xds.cluster("A"), Xds.endpoints("A", BACKEND), Xds.routes("routes", Xds.host("*", routes)));
    LISTENERS.forEach(limit -> MESH.controlPlane.serve(listener(limit)));
    MESH.with(
            Flag.FORWARD,
            LISTENERS.stream()
                .map(limit -> forward(limit) + "@127.0.0.1:0=xds:///" + forward(limit))
                .toArray(String[]::new))
        .startReady();
  }

  @AfterAll
  static void close() {
    MESH.close();
  }

  @Conformance({
    "A31-15", "A31-16", "A31-17", "A31-18", "A31-19", "A31-20", "A31-21", "A31-23", "A31-24",
    "A31-25", "A31-26", "A31-27", "A31-28", "A31-29", "A31-30"
  })
  @ParameterizedTest
  @MethodSource("io.outrigger.program.testing.LimitRow#all")
  void theLimitReachesTheCall(LimitRow row) {
    String path = service(row) + "/Call";
    try (App app = new App(MESH.address(forward(row.listener())))) {
      Await.until(
          "a call reaches the backend within its time",
          () -> {
            app.call(path, timeoutOf(row));
            return BACKEND.lastHeard().path().equals(path);
          });
    }

    String told = BACKEND.lastHeard().header("grpc-timeout");
    if (LimitRow.isSet(row.effective())) {
      Duration limit = Duration.parse("PT" + row.effective());
      assertThat(Duration.ofNanos(GrpcTimeout.parse(told)))
          .isBetween(limit.dividedBy(2).plusMillis(1), limit); // half is another row's limit
    } else {
      assertThat(told).isEmpty();
    }
  }

  /** The app's own limit as header fields. */
  private static String[] timeoutOf(LimitRow row) {
    return LimitRow.isSet(row.app())
        ? new String[] {"grpc-timeout", row.app().replace('s', 'S')}
        : new String[0];
  }

  private static String service(LimitRow row) {
    return "row" + ROWS.indexOf(row) + ".Service";
  }

  private static String forward(String limit) {
    return LimitRow.isSet(limit) ? "limit-" + limit : "no-limit";
  }

  private static String listener(String limit) {
    String listener = Xds.listener(forward(limit), "routes");
    return LimitRow.isSet(limit)
        ? listener.replace(
            "\"rds\":",
            "\"common_http_protocol_options\":{\"max_stream_duration\":\"%s\"},\"rds\":"
                .formatted(limit))
        : listener;
  }

  private static String action(LimitRow row) {
    var fields = new StringJoiner(",", "{", "}").add("\"cluster\":\"A\"");
    add(fields, "timeout", row.timeout());
    add(fields, "max_grpc_timeout", row.maxGrpc());
    if (row.hasStreamDuration()) {
      var inner = new StringJoiner(",", "{", "}");
      add(inner, "grpc_timeout_header_max", row.headerMax());
      add(inner, "max_stream_duration", row.streamMax());
      fields.add("\"max_stream_duration\":" + inner);
    }
    return fields.toString();
  }

  private static void add(StringJoiner fields, String name, String cell) {
    if (LimitRow.isSet(cell)) {
      fields.add("\"%s\":\"%s\"".formatted(name, cell));
    }
  }
}
