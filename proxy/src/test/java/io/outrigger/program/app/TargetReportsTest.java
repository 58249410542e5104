package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.LogLines;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.observe.events.EventLog;
import io.outrigger.program.testing.LoggedLines;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TargetReportsTest {
  private static final RouteTimeout NONE =
      new RouteTimeout(Optional.of(Duration.ZERO), Optional.empty(), Optional.empty());

  private final FakeControlLoop loop = new FakeControlLoop();
  private final EventLog events = new EventLog(loop);
  private final TargetReports reports = new TargetReports(events, "orders", "xds:///orders", false);
  @RegisterExtension private final LoggedLines logged = new LoggedLines(TargetReports.class);

  /** What was reported since {@code seq}. */
  private List<String> told() {
    List<String> told = new ArrayList<>();
    loop.inside(
        () ->
            events
                .after(0, 200)
                .events()
                .forEach(
                    event -> {
                      assertThat(event.forward()).isEqualTo("orders");
                      assertThat(event.subject()).isEqualTo("xds:///orders");
                      told.add(event.kind() + ": " + event.message());
                    }));
    return told;
  }

  private static XdsConfig config(Optional<Duration> listener, RouteTimeout... timeouts) {
    List<Route> routes =
        Arrays.stream(timeouts)
            .map(
                timeout ->
                    new Route(
                        "r" + timeout.timeout().map(Duration::toString).orElse(""),
                        0,
                        new RouteMatch(
                            new StringMatcher.Prefix("", false), List.of(), Optional.empty()),
                        new RouteAction.Forward(new ClusterChoice.Single("a"), timeout),
                        Map.of()))
            .toList();
    var host = new VirtualHost("h", List.of("*"), routes, Map.of());
    var table = new RouteTable("routes", List.of(host));
    return new XdsConfig(
        new ApiListener("orders", new RouteSource.Inline(table), List.of(), listener),
        table,
        host,
        Map.of());
  }

  private void ready(XdsConfig config) {
    loop.inside(() -> reports.onReady(config));
  }

  private void fail(String reason) {
    loop.inside(() -> reports.onFailure(RpcStatus.unavailable(reason)));
  }

  @Conformance("SC-52")
  @Test
  void readinessAndEachReasonForAFailureAreReportedOnce() {
    fail("no listener");
    fail("no listener");
    fail("no routes");
    ready(config(Optional.empty(), NONE));
    ready(config(Optional.empty(), NONE, NONE));
    fail("no routes");

    assertThat(told())
        .containsExactly(
            "FORWARD_FAILED: no listener",
            "FORWARD_FAILED: no routes",
            "FORWARD_READY: configured",
            "FORWARD_FAILED: no routes");
    assertThat(logged.list())
        .containsExactly(
            "WARN forward orders: xds:///orders fails: no listener",
            "WARN forward orders: xds:///orders fails: no routes",
            "INFO forward orders: xds:///orders is configured",
            "WARN forward orders: xds:///orders fails: no routes");
  }

  /** A control plane that changes its mind all the time must not fill the disk. */
  @Test
  void aTargetThatFailsAgainAndAgainIsTenLinesAMinute() {
    for (int i = 0; i < 50; i++) {
      fail("no routes");
      ready(config(Optional.empty(), NONE));
    }
    loop.advance(LogLines.PERIOD);
    fail("no listener");

    assertThat(told()).hasSize(101);
    assertThat(logged.list())
        .hasSize(LogLines.MAX_LINES + 2)
        .endsWith(
            "INFO forward orders: xds:///orders is configured",
            "WARN forward orders: xds:///orders changes often; until this minute ends, its changes"
                + " are only in /events",
            "WARN forward orders: xds:///orders fails: no listener");
  }

  @Conformance("A31-23")
  @Test
  void aDefaultLimitThatWasNotLoggedIsLoggedWithALaterConfiguration() {
    for (int i = 0; i < LogLines.MAX_LINES; i++) {
      fail("reason " + i);
    }
    ready(config(Optional.empty(), RouteTimeout.UNSET));
    loop.advance(LogLines.PERIOD);
    ready(config(Optional.empty(), RouteTimeout.UNSET));
    ready(config(Optional.empty(), RouteTimeout.UNSET));

    assertThat(told()).filteredOn(text -> text.startsWith("DEFAULT_TIMEOUT")).hasSize(1);
    assertThat(logged.list())
        .hasSize(LogLines.MAX_LINES + 2)
        .last()
        .asString()
        .contains("calls end after 15 s");
  }

  @Conformance("A31-23")
  @Test
  void theDefaultLimitIsReportedWhenRoutesComeUnderIt() {
    ready(config(Optional.empty(), NONE, RouteTimeout.UNSET));
    ready(config(Optional.empty(), RouteTimeout.UNSET, RouteTimeout.UNSET));
    ready(config(Optional.empty(), NONE));
    ready(config(Optional.of(Duration.ofSeconds(3)), RouteTimeout.UNSET)); // the listener limits
    ready(config(Optional.empty(), RouteTimeout.UNSET, RouteTimeout.UNSET));

    String remedy =
        "; set max_stream_duration or timeout there (0s: no limit), or give --ignore-route-timeout";
    assertThat(told())
        .containsExactly(
            "FORWARD_READY: configured",
            "DEFAULT_TIMEOUT: calls end after 15 s on 1 route without a limit of time: r" + remedy,
            "DEFAULT_TIMEOUT: calls end after 15 s on 2 routes without a limit of time: r, r"
                + remedy);
  }

  @Test
  void withTheFlagThereIsNoDefaultToReport() {
    var ignoring = new TargetReports(events, "orders", "xds:///orders", true);

    loop.inside(() -> ignoring.onReady(config(Optional.empty(), RouteTimeout.UNSET)));

    assertThat(told()).containsExactly("FORWARD_READY: configured");
  }
}
