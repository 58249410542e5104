package io.outrigger.program.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.base.LogLines;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTable;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.serve.ServedListener;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import io.outrigger.xds.serving.ServingState;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports each change of the state of one served address (serving, or not serving with the reason)
 * in the log and as an event. Also logs errors in a configuration that is in use (A36
 * "configuration error logging").
 */
@ControlConfined
final class ServingReports {
  private static final Logger log = LoggerFactory.getLogger(ServingReports.class);

  private final EventLog events;
  private final String name;
  private final LogLines lines;

  /** A separate limit of log lines for removed RBAC filters: other lines do not use it up. */
  private final LogLines rbacLines;

  private String error = "";
  private boolean hadConfigErrors;

  /** For each filter chain, by its name: the RBAC filters that check every request. */
  private Map<String, Set<String>> checking = Map.of();

  ServingReports(EventLog events, String name) {
    this.events = events;
    this.name = name;
    lines = events.lines();
    rbacLines = events.lines();
  }

  /** {@code reason} says why the port is closed, and is empty when the port is open. */
  void onState(ServedListener.State state, String reason) {
    if (state == ServedListener.State.SERVING) {
      if (!error.isEmpty()) {
        warn("serving again");
      } else if (shouldLog(lines)) {
        log.info("serve {}: serving", name);
      }
      error = "";
      events.add(EventKind.SERVING, name, "serving");
    } else if (state != ServedListener.State.WAITING && !reason.equals(error)) {
      error = reason;
      warn("not serving: " + error);
      events.add(EventKind.NOT_SERVING, name, error);
    }
  }

  /**
   * Called when a configuration of the served address comes into use.
   *
   * @return the errors of this configuration, which make requests fail
   */
  Set<String> onConfig(ServingState.Serving config) {
    Set<String> errors = configErrors(config);
    errors.forEach(this::warn);
    if (errors.isEmpty() && hadConfigErrors) {
      warn("all errors in the routes are gone");
    }
    hadConfigErrors = !errors.isEmpty();
    reportRemovedRbac(config);
    return errors;
  }

  private void reportRemovedRbac(ServingState.Serving config) {
    Map<String, Set<String>> now = new HashMap<>();
    Set<String> all = new TreeSet<>(); // a chain of a new name takes the connections of others
    checking.values().forEach(all::addAll);
    for (ServerFilterChain chain : chains(config.listener()).toList()) {
      Set<String> before = checking.getOrDefault(chain.name(), all);
      Set<String> filters =
          config.routesOf(chain).match(table -> checking(chain, table), failure -> before);
      now.computeIfAbsent(chain.name(), name -> new TreeSet<>(filters)) // chains may have no name
          .retainAll(filters);
    }
    now.forEach(
        (chain, filters) -> reportRemoved(chain, checking.getOrDefault(chain, all), filters));
    if (checking.keySet().containsAll(now.keySet())) { // requests of a removed chain match others
      Set<String> common = new TreeSet<>(all);
      now.values().forEach(common::retainAll);
      checking.forEach(
          (chain, before) ->
              reportRemoved(chain, before, now.containsKey(chain) ? before : common));
    }
    checking = now;
  }

  private void reportRemoved(String chain, Set<String> before, Set<String> after) {
    for (String filter : before) {
      if (!after.contains(filter)) {
        String text =
            "filter chain \"%s\": RBAC filter \"%s\" no longer checks every request"
                .formatted(chain, filter);
        if (shouldLog(rbacLines)) {
          log.warn("serve {}: {}", name, text);
        }
        events.add(EventKind.RBAC_REMOVED, name, text);
      }
    }
  }

  private void warn(String text) {
    if (shouldLog(lines)) {
      log.warn("serve {}: {}", name, text);
    }
  }

  private boolean shouldLog(LogLines kind) {
    return kind.shouldLog(
        () ->
            log.warn(
                "serve {}: too many lines of this kind; until this minute ends, none is logged",
                name));
  }

  /** Returns the names of the RBAC filters that check every request of a filter chain. */
  private static Set<String> checking(ServerFilterChain chain, RouteTable table) {
    Set<String> names = new TreeSet<>();
    for (HttpFilter filter : chain.filters()) {
      if (filter.config() instanceof Rbac
          && table.virtualHosts().stream()
              .flatMap(
                  host ->
                      host.routes().stream()
                          .map(route -> List.of(route.filterOverrides(), host.filterOverrides())))
              .allMatch(each -> HttpFilters.rbac(List.of(filter), each).findAny().isPresent())) {
        names.add(filter.name());
      }
    }
    return names;
  }

  private static Set<String> configErrors(ServingState.Serving config) {
    Set<String> errors = new LinkedHashSet<>();
    chains(config.listener())
        .map(config::routesOf)
        .forEach(
            routes ->
                errors.addAll(
                    routes.match(
                        table -> unsupported(table).map(Set::of).orElse(Set.of()),
                        failure -> Set.of(failure.message()))));
    return errors;
  }

  private static Stream<ServerFilterChain> chains(SocketListener listener) {
    return Stream.concat(listener.chains().stream(), listener.defaultChain().stream());
  }

  private static Optional<String> unsupported(RouteTable table) {
    long routes =
        table.virtualHosts().stream()
            .flatMap(host -> host.routes().stream())
            .filter(route -> !(route.action() instanceof RouteAction.NonForwarding))
            .count();
    return routes == 0
        ? Optional.empty()
        : Optional.of(
            "route configuration \"%s\": requests of %s fail, because the action is not"
                    .formatted(table.name(), Count.of(routes, "route"))
                + " non_forwarding_action");
  }
}
