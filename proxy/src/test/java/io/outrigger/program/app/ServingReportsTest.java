package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.LogLines;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.FilterChainMatch;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.dataplane.serve.ServedListener.State;
import io.outrigger.observe.events.EventLog;
import io.outrigger.program.testing.LoggedLines;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.serving.ServingState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ServingReportsTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final EventLog events = new EventLog(loop);
  private final ServingReports reports = new ServingReports(events, "pay");
  @RegisterExtension private final LoggedLines logged = new LoggedLines(ServingReports.class);

  private void view(State state, String error) {
    loop.inside(() -> reports.onState(state, error));
  }

  private void config(Outcome<RouteTable> routes) {
    config(routes, List.of());
  }

  private void config(Outcome<RouteTable> routes, List<HttpFilter> filters) {
    chains(routes, chain("in", filters.toArray(HttpFilter[]::new)));
  }

  private static ServerFilterChain chain(String name, HttpFilter... filters) {
    return new ServerFilterChain(
        name, FilterChainMatch.ANY, Optional.empty(), new RouteSource.Rds("r"), List.of(filters));
  }

  private void chains(Outcome<RouteTable> routes, ServerFilterChain... chains) {
    var listener = new SocketListener("l", "0.0.0.0", 8080, List.of(chains), Optional.empty());
    loop.inside(() -> reports.onConfig(new ServingState.Serving(listener, Map.of("r", routes))));
  }

  private static Outcome<RouteTable> routes(RouteAction... actions) {
    List<Route> routes =
        List.of(actions).stream()
            .map(
                action ->
                    new Route(
                        "",
                        0,
                        new RouteMatch(
                            new StringMatcher.Prefix("", false), List.of(), Optional.empty()),
                        action,
                        Map.of()))
            .toList();
    return Outcome.ok(
        new RouteTable("r", List.of(new VirtualHost("h", List.of("*"), routes, Map.of()))));
  }

  private List<String> told() {
    List<String> told = new ArrayList<>();
    loop.inside(
        () ->
            events
                .after(0, 100)
                .events()
                .forEach(
                    event -> {
                      assertThat(event.subject()).isEqualTo("pay");
                      told.add(event.kind() + ": " + event.message());
                    }));
    return told;
  }

  @Test
  void eachChangeIsReportedOnce() {
    view(State.WAITING, "waiting for listener \"l\"");
    view(State.SERVING, "");
    view(State.NOT_SERVING, "listener \"l\": does not exist");
    view(State.NOT_SERVING, "listener \"l\": does not exist");
    view(State.WAITING, "waiting for route configuration \"r\"");
    view(State.SERVING, "");

    assertThat(told())
        .containsExactly(
            "SERVING: serving", "NOT_SERVING: listener \"l\": does not exist", "SERVING: serving");
    assertThat(logged.list())
        .containsExactly(
            "INFO serve pay: serving",
            "WARN serve pay: not serving: listener \"l\": does not exist",
            "WARN serve pay: serving again");
  }

  /** A control plane that changes its mind all the time must not fill the disk. */
  @Test
  void anAddressThatChangesAgainAndAgainIsTenLinesAMinute() {
    for (int i = 0; i < 20; i++) {
      view(State.SERVING, "");
      view(State.NOT_SERVING, "listener \"l\": does not exist");
      config(Outcome.failed(RpcStatus.unavailable("route configuration \"r\": does not exist")));
      filters(rbac("rbac", Rbac.Action.DENY));
      filters();
    }
    String often =
        "WARN serve pay: too many lines of this kind; until this minute ends, none is logged";
    assertThat(told()).hasSize(60);
    assertThat(logged.list())
        .hasSize(2 * (LogLines.MAX_LINES + 1))
        .endsWith(often)
        .filteredOn(line -> line.contains("RBAC filter"))
        .as("the other lines take the place of none")
        .hasSize(LogLines.MAX_LINES);

    loop.advance(LogLines.PERIOD);
    view(State.SERVING, "");
    assertThat(logged.list()).endsWith(often, "WARN serve pay: serving again");
  }

  @Test
  @Conformance("A36-24")
  void eachNewReasonIsReported() {
    view(State.BIND_RETRY, "0.0.0.0:8080: address already in use");
    view(State.NOT_SERVING, "listener \"l\": does not exist");
    view(State.BIND_RETRY, "0.0.0.0:8080: address already in use");

    assertThat(told())
        .containsExactly(
            "NOT_SERVING: 0.0.0.0:8080: address already in use",
            "NOT_SERVING: listener \"l\": does not exist",
            "NOT_SERVING: 0.0.0.0:8080: address already in use");
  }

  @Test
  @Conformance("A36-17")
  void errorsOfRoutesAreLoggedWithEachUpdateAndTheirEndOnce() {
    var forward = new RouteAction.Unsupported("redirect");
    config(routes(new RouteAction.NonForwarding()));
    config(Outcome.failed(RpcStatus.unavailable("route configuration \"r\": does not exist")));
    config(routes(new RouteAction.NonForwarding(), forward));
    config(routes(new RouteAction.NonForwarding(), forward));
    config(routes(new RouteAction.NonForwarding()));
    config(routes(new RouteAction.NonForwarding()));

    String unsupported =
        "WARN serve pay: route configuration \"r\": requests of 1 route fail, because the action is"
            + " not non_forwarding_action";
    assertThat(logged.list())
        .containsExactly(
            "WARN serve pay: route configuration \"r\": does not exist",
            unsupported,
            unsupported,
            "WARN serve pay: all errors in the routes are gone");
    assertThat(told()).isEmpty();
  }

  @Test
  @Conformance("OPS-07")
  void aChainThatLosesItsRbacFilterIsReported() {
    HttpFilter rbac = rbac("rbac", Rbac.Action.DENY);
    filters(rbac);
    filters(rbac);
    assertThat(told()).isEmpty();

    filters(new HttpFilter("rbac", Rbac.OFF)); // a filter without rules denies nothing
    filters();
    filters(rbac);
    filters();

    String text = "filter chain \"in\": RBAC filter \"rbac\" no longer checks every request";
    assertThat(told()).containsExactly("RBAC_REMOVED: " + text, "RBAC_REMOVED: " + text);
    assertThat(logged.list()).containsExactly("WARN serve pay: " + text, "WARN serve pay: " + text);
  }

  @Test
  @Conformance("OPS-07")
  void aRouteThatSwitchesTheRbacFilterOffIsReportedOnce() {
    HttpFilter rbac = rbac("rbac", Rbac.Action.ALLOW);
    var table = routes(new RouteAction.NonForwarding()).toOptional().orElseThrow();
    Outcome<RouteTable> off =
        Outcome.ok(
            new RouteTable(
                "r",
                List.of(
                    new VirtualHost(
                        "h",
                        List.of("*"),
                        table.virtualHosts().get(0).routes(),
                        Map.of("rbac", Rbac.OFF)))));

    filters(rbac);
    config(off, List.of(rbac));
    config(off, List.of(rbac));

    assertThat(told())
        .containsExactly(
            "RBAC_REMOVED: filter chain \"in\": RBAC filter \"rbac\" no longer checks every"
                + " request");
  }

  @Test
  @Conformance("OPS-07")
  void anRbacFilterThatLeavesWhileAnotherStaysIsReported() {
    filters(rbac("deny", Rbac.Action.DENY), rbac("allow", Rbac.Action.ALLOW));
    filters(rbac("deny", Rbac.Action.DENY));

    assertThat(told())
        .containsExactly(
            "RBAC_REMOVED: filter chain \"in\": RBAC filter \"allow\" no longer checks every"
                + " request");
  }

  @Test
  @Conformance("OPS-07")
  void aChainKeepsItsRbacFiltersWhileItsRoutesFail() {
    HttpFilter rbac = rbac("rbac", Rbac.Action.DENY);
    var off = new HttpFilter("rbac", Rbac.OFF);
    Outcome<RouteTable> failed = Outcome.failed(RpcStatus.unavailable("does not exist"));

    config(failed, List.of(rbac));
    filters(off);
    assertThat(told()).isEmpty();

    filters(rbac);
    config(failed, List.of(off));
    assertThat(told()).isEmpty();
    filters(off);
    assertThat(told()).hasSize(1);
  }

  /** istiod renames the chain when it switches mutual TLS on or off. */
  @Test
  @Conformance("OPS-07")
  void anRbacFilterThatLeavesWithTheNameOfItsChainIsReported() {
    var routes = routes(new RouteAction.NonForwarding());
    HttpFilter rbac = rbac("rbac", Rbac.Action.DENY);
    chains(routes, chain("mtls", rbac));
    chains(routes, chain("plain", rbac));
    assertThat(told()).isEmpty();

    chains(routes, chain("mtls"));

    assertThat(told())
        .containsExactly(
            "RBAC_REMOVED: filter chain \"mtls\": RBAC filter \"rbac\" no longer checks every"
                + " request");
  }

  /** The connections of a removed chain may go to another, which has never had a filter. */
  @Test
  @Conformance("OPS-07")
  void anRbacFilterThatLeavesWithItsChainIsReported() {
    var routes = routes(new RouteAction.NonForwarding());
    HttpFilter rbac = rbac("rbac", Rbac.Action.DENY);
    chains(routes, chain("near", rbac), chain("far", rbac));
    chains(routes, chain("far", rbac));
    assertThat(told()).isEmpty();

    chains(routes, chain("far", rbac), chain("open"));
    chains(routes, chain("open"));

    assertThat(told())
        .containsExactly(
            "RBAC_REMOVED: filter chain \"open\": RBAC filter \"rbac\" no longer checks every"
                + " request",
            "RBAC_REMOVED: filter chain \"far\": RBAC filter \"rbac\" no longer checks every"
                + " request");
  }

  private static HttpFilter rbac(String name, Rbac.Action action) {
    var rules = new Rbac.Rules(action, List.of(), Rbac.Audit.NONE);
    return new HttpFilter(name, new Rbac(Optional.of(rules)));
  }

  private void filters(HttpFilter... filters) {
    config(routes(new RouteAction.NonForwarding()), List.of(filters));
  }
}
