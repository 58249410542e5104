package io.outrigger.observe.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallRequest;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.CallStatsRecorder;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.PeerErrors;
import io.outrigger.identity.certificate.CertificateView;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.cache.CacheState;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.status.XdsStatusView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The alerts of {@code docker/} name series that a sidecar in trouble has: names, labels, and the
 * values that labels must have. {@code scripts/check} checks their syntax and evaluates them.
 */
final class AlertsTest {
  private static final Path ALERTS = Path.of("..", "docker", "grafana", "alerts.yaml");
  private static final Pattern SELECTOR =
      Pattern.compile("(?<name>[a-z]+_[a-z0-9_]+)(\\{(?<matchers>[^}]*)})?");
  private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(=~?)\"([^\"]*)\"");
  private static final Pattern BY = Pattern.compile("by \\(([^)]*)\\)");
  private static final Pattern LABEL = Pattern.compile("\\$labels\\.([a-z_]+)");
  private static final Pattern SERIES = Pattern.compile("([a-z0-9_]+)(\\{.*})? [^ ]+");
  private static final Pattern PAIR = Pattern.compile("([a-z_]+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

  /** Prometheus adds them to whatever it scrapes. */
  private static final Set<String> OF_TARGETS = Set.of("job", "instance");

  private record Alert(String name, String expression, List<String> annotations) {
    @Override
    public String toString() {
      return name;
    }
  }

  private record Series(String name, Map<String, String> labels) {}

  private static List<Alert> alerts() throws IOException {
    var load = new Load(LoadSettings.builder().build());
    List<Alert> alerts = new ArrayList<>();
    for (Map<?, ?> group : maps(((Map<?, ?>) load.loadFromString(read())).get("groups"))) {
      for (Map<?, ?> rule : maps(group.get("rules"))) {
        List<String> annotations = new ArrayList<>();
        ((Map<?, ?>) rule.get("annotations"))
            .values()
            .forEach(text -> annotations.add(text.toString()));
        alerts.add(
            new Alert(rule.get("alert").toString(), rule.get("expr").toString(), annotations));
      }
    }
    return alerts;
  }

  private static String read() throws IOException {
    return Files.readString(ALERTS);
  }

  private static List<Map<?, ?>> maps(Object list) {
    return ((List<?>) list).stream().<Map<?, ?>>map(item -> (Map<?, ?>) item).toList();
  }

  @ParameterizedTest
  @MethodSource("alerts")
  void everySeriesOfAnAlertCanBeThere(Alert alert) {
    Set<String> grouped = new HashSet<>();
    Matcher by = BY.matcher(alert.expression());
    by.results().forEach(list -> grouped.addAll(List.of(list.group(1).split(", ", -1))));
    Set<String> shown = new HashSet<>();
    for (String text : alert.annotations()) {
      LABEL.matcher(text).results().forEach(label -> shown.add(label.group(1)));
    }
    if (!grouped.isEmpty()) {
      assertThat(grouped).containsAll(shown);
    }
    Set<String> named = new HashSet<>(grouped);
    named.addAll(shown);
    named.removeAll(OF_TARGETS);
    int selectors = 0;

    Matcher selector = SELECTOR.matcher(BY.matcher(alert.expression()).replaceAll(""));
    while (selector.find()) {
      List<Series> found = selected(selector);
      assertThat(found).as(selector.group()).isNotEmpty();
      found.forEach(one -> assertThat(one.labels().keySet()).containsAll(named));
      selectors++;
    }
    assertThat(selectors).isPositive();
  }

  @ParameterizedTest
  @MethodSource("alerts")
  void everyNameInATextIsAMetricOrALabel(Alert alert) {
    for (String text : alert.annotations()) {
      Pattern.compile("grpc_[a-z_]+|outrigger_[a-z_]+")
          .matcher(text.replaceAll("\\{\\{.*?}}", ""))
          .results()
          .forEach(
              word ->
                  assertThat(exposition())
                      .anyMatch(
                          one ->
                              one.name().equals(word.group())
                                  || one.labels().containsKey(word.group())));
    }
  }

  /** The series that it selects; each word of an alternative must select one. */
  private static List<Series> selected(Matcher selector) {
    List<Series> all =
        exposition().stream().filter(one -> one.name().equals(selector.group("name"))).toList();
    if (selector.group("matchers") == null) {
      return all;
    }
    List<Series> found = new ArrayList<>();
    Matcher matcher = MATCHER.matcher(selector.group("matchers"));
    while (matcher.find()) {
      for (String value : matcher.group(3).split("\\|", -1)) {
        List<Series> with =
            all.stream().filter(one -> value.equals(one.labels().get(matcher.group(1)))).toList();
        assertThat(with).as(matcher.group() + " as " + value).isNotEmpty();
        found.addAll(with);
      }
    }
    return found;
  }

  /** What a sidecar in trouble shows. */
  private static List<Series> exposition() {
    var bytes = new ByteArrayOutputStream();
    MetricsText.accepted("").write(inTrouble(), bytes);
    List<Series> all = new ArrayList<>();
    for (String line : bytes.toString(StandardCharsets.UTF_8).lines().toList()) {
      Matcher series = SERIES.matcher(line);
      if (series.matches()) {
        Map<String, String> labels = new LinkedHashMap<>();
        PAIR.matcher(series.group(2) == null ? "" : series.group(2))
            .results()
            .forEach(pair -> labels.put(pair.group(1), pair.group(2)));
        all.add(new Series(series.group(1), labels));
      }
    }
    return all;
  }

  private static MetricsView inTrouble() {
    return new MetricsView(
        "1",
        List.of(forward()),
        List.of(),
        new XdsStatusView(
            List.of(
                new XdsStatusView.Client(
                    "",
                    List.of(lost()),
                    List.of(new XdsStatusView.Authority("", List.of("cp:443"), 0)),
                    List.of(
                        refused(Optional.empty()),
                        refused(Optional.of(new RawResource("type", new byte[0]))))))),
        ejecting(),
        leftOut(),
        List.of(expiring()),
        new MetricsView.ProcessFigures(
            0,
            Optional.empty(),
            1,
            DefaultSettings.MEMORY.now(),
            List.of(0L),
            new PeerErrors().ended()),
        Set.of());
  }

  private static MetricsView.Forward forward() {
    var tally = new EndpointTally();
    for (Connectivity state : Connectivity.values()) {
      tally.add(state, 1);
    }
    return new MetricsView.Forward("orders", "t", false, 0, ended(), Map.of("pay", tally));
  }

  /** One gRPC call with each status, and another request that failed. */
  private static CallStats.Totals ended() {
    var stats = new CallStats(0, DefaultSettings.LITTLE);
    for (RpcStatus.Code code : RpcStatus.Code.values()) {
      var call = new CallStatsRecorder(stats);
      call.started(new GrpcRequest(), CallTracer.NONE);
      call.grpcStatus(code);
      call.ended(1, 0);
    }
    var other = new CallStatsRecorder(stats);
    other.local(RpcStatus.unavailable("no route"), LocalReason.NO_ROUTE, 503);
    other.ended(1, 0);
    stats.count(CallCounter.REFUSED_CONNECTIONS);
    return new CallStats.Totals(List.of(stats), 0);
  }

  private record GrpcRequest() implements CallRequest {
    @Override
    public String path() {
      return "/pay.Service/Pay";
    }

    @Override
    public AsciiString method() {
      return AsciiString.of("POST");
    }

    @Override
    public AsciiString authority() {
      return AsciiString.of("pay");
    }

    @Override
    public boolean isGrpc() {
      return true;
    }

    @Override
    public HeaderList headers() {
      return HeaderList.EMPTY;
    }

    @Override
    public @Nullable String header(String name) {
      return null;
    }
  }

  private static OverlayStatus leftOut() {
    var rule = new OverlayRule("slow", "policy.yaml", 1, OverlayRule.Mode.DEFAULT);
    var omission = new OverlayStatus.Omission("pay", "retries", "too many");
    return new OverlayStatus(
        List.of(new OverlayStatus.Rule(rule, 1, 0, List.of(), List.of(omission))), List.of());
  }

  private static XdsStatusView.Server lost() {
    return new XdsStatusView.Server(
        "cp:443", true, true, false, Optional.empty(), 1, 1, 1, 1, Map.of());
  }

  private static XdsStatusView.Resource refused(Optional<RawResource> kept) {
    return new XdsStatusView.Resource(
        "cds",
        ResourceType.CLUSTER.typeUrl(),
        "pay",
        CacheState.NACKED.label(),
        "1",
        Optional.of(Instant.EPOCH),
        kept,
        Optional.of(
            new DataError(RpcStatus.unavailable("bad"), "2", Optional.empty(), Instant.EPOCH)),
        Optional.empty(),
        List.of());
  }

  private static LbCounters.Counts ejecting() {
    var counters = new LbCounters();
    counters
        .of("xds:///orders", event -> {})
        .onEvent(
            new OutlierEvent.Unenforced(
                "pay",
                new EndpointAddress("10.0.0.1", 80),
                Instant.EPOCH,
                new OutlierEvent.HighFailurePercentage(90, 85, 50, 5),
                new OutlierEvent.Share(1, 5),
                0,
                OutlierEvent.UnenforcedReason.MAX_EJECTION_OVERFLOW));
    return counters.counts();
  }

  private static CertificateView.Provider expiring() {
    var leaf = new CertificateView("cn=a", List.of(), List.of(), "1", Instant.EPOCH, Instant.EPOCH);
    return new CertificateView.Provider(
        "default", "file_watcher", List.of(leaf), List.of(), Optional.empty(), Optional.empty());
  }
}
