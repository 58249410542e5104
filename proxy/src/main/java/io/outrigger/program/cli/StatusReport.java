package io.outrigger.program.cli;

import io.outrigger.base.Count;
import io.outrigger.base.PlainText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Renders the admin server's JSON as tables: forwards, control planes, resources, trees, local
 * policy and events.
 */
final class StatusReport {
  private static final int EVENTS_SHOWN = 10;
  private static final int MAX_MESSAGE = 160;

  private static final Comparator<JsonView> FAILING =
      Comparator.comparing((JsonView forward) -> forward.text("error").isEmpty())
          .thenComparing(forward -> forward.number("failing") == 0);

  private StatusReport() {}

  /**
   * The rendered replies.
   *
   * @param problems one line per failure
   */
  record Lines(List<String> problems, List<String> tables) {}

  /**
   * Renders the replies as lines.
   *
   * @param answers has a member for each endpoint, named like the endpoint
   * @throws com.google.gson.JsonParseException when a reply has an unexpected form
   */
  static Lines render(JsonView answers) {
    List<JsonView> forwards = answers.list("forwards").stream().sorted(FAILING).toList();
    List<JsonView> served = answers.list("listeners");
    JsonView known = answers.object("xds").orElse(JsonView.EMPTY);
    List<String> problems = new ArrayList<>();
    forwards.stream()
        .filter(forward -> !forward.text("error").isEmpty())
        .map(
            forward ->
                "forward %s: %s: %s"
                    .formatted(forward.name(), reachability(forward), forward.text("error")))
        .forEach(problems::add);
    served.stream()
        .filter(listener -> !listener.text("error").isEmpty())
        .map(listener -> listener.format("serve %s: %s: %s", "name", "state", "error"))
        .forEach(problems::add);
    answers.list("certs").stream()
        .filter(provider -> !provider.text("error").isEmpty())
        .map(provider -> provider.format("certificate %s: %s", "instance", "error"))
        .forEach(problems::add);
    List<JsonView> servers =
        known.list("servers").stream().filter(StatusReport::isControlPlane).toList();
    servers.stream()
        .filter(server -> !server.text("connected").equals("true"))
        .filter(server -> !server.text("asked").equals("false")) // a fallback that is not in use
        .map(
            server ->
                server.format("control plane %s: not connected", "uri")
                    + (server.text("lastError").isEmpty()
                        ? ""
                        : server.format(": %s", "lastError")))
        .forEach(problems::add);
    long stale =
        known.list("resources").stream()
            .filter(resource -> resource.text("clientStatus").equals("STALE"))
            .count();
    if (stale > 0) {
      problems.add(
          Count.of(stale, "resource")
              + " STALE: saved by an earlier process; no control plane has answered");
    }
    List<String> lines = new ArrayList<>(forwards(forwards));
    if (!served.isEmpty()) {
      lines.add("");
      lines.addAll(listeners(served));
    }
    if (!servers.isEmpty()) {
      lines.add("");
      lines.addAll(servers(servers));
    }
    lines.add("");
    lines.addAll(resources(known));
    lines.add("");
    lines.addAll(tree(answers.object("lb").orElse(JsonView.EMPTY)));
    List<String> overlay =
        answers.object("overlay").map(JsonView::json).map(Outline::of).orElse(List.of());
    if (!overlay.isEmpty()) {
      lines.addAll(List.of("", "LOCAL POLICY"));
      lines.addAll(overlay);
    }
    lines.add("");
    lines.addAll(events(answers.list("events")));
    return new Lines(problems.stream().map(PlainText::of).toList(), lines);
  }

  /** Returns the forward's state, with the number of reachable backends if backends are known. */
  private static String reachability(JsonView forward) {
    long endpoints = (long) forward.number("endpoints");
    return endpoints == 0
        ? forward.text("state")
        : "%s, %d of %s reachable"
            .formatted(
                forward.text("state"),
                endpoints - (long) forward.number("failing"),
                Count.of(endpoints, "backend"));
  }

  private static List<String> forwards(List<JsonView> forwards) {
    TextTable table = new TextTable("FORWARD", "LISTEN", "TARGET", "STATE", "ERROR");
    for (JsonView forward : forwards) {
      table.row(
          forward.text("name"),
          forward.text("listen"),
          forward.text("target"),
          reachability(forward),
          forward.text("error"));
    }
    return table.lines();
  }

  private static List<String> listeners(List<JsonView> listeners) {
    TextTable table = new TextTable("SERVE", "LISTEN", "APP", "STATE", "CONNECTIONS", "ERROR");
    for (JsonView listener : listeners) {
      table.row(listener.texts("name", "listen", "app", "state", "connections", "error"));
    }
    return table.lines();
  }

  /**
   * Whether an entry of {@code /xds} is a control plane, and not the source of {@code dns:} or
   * {@code k8s:} targets.
   */
  private static boolean isControlPlane(JsonView server) {
    String uri = server.text("uri");
    return !uri.equals("dns") && !uri.startsWith("k8s:");
  }

  private static List<String> servers(List<JsonView> servers) {
    TextTable table =
        new TextTable("CONTROL PLANE", "ASKED", "CONNECTED", "NACKS", "FAILURES", "LAST ERROR");
    for (JsonView server : servers) {
      table.row(server.texts("uri", "asked", "connected", "nacks", "failures", "lastError"));
    }
    return table.lines();
  }

  private static List<String> events(List<JsonView> events) {
    TextTable table = new TextTable("TIME", "EVENT", "SUBJECT", "MESSAGE");
    for (JsonView event :
        events.subList(Math.max(0, events.size() - EVENTS_SHOWN), events.size())) {
      String message = event.text("message");
      table.row(
          event.millis("time"),
          event.text("kind"),
          event.text("subject"),
          message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) + "…" : message);
    }
    return table.lines();
  }

  private static List<String> resources(JsonView xds) {
    TextTable table = new TextTable("RESOURCE", "TYPE", "STATE", "VERSION", "ERROR");
    for (JsonView resource : xds.list("resources")) {
      String url = resource.text("typeUrl");
      table.row(
          resource.text("name"),
          url.substring(url.lastIndexOf('.') + 1),
          resource.text("clientStatus"),
          resource.text("versionInfo"),
          resource.object("errorState").map(error -> error.text("details")).orElse(""));
    }
    return table.lines();
  }

  private static List<String> tree(JsonView lb) {
    TextTable table = new TextTable("LB TREE", "POLICY", "STATE", "DETAIL");
    for (JsonView forward : lb.list("forwards")) {
      Optional<JsonView> root = forward.object("root");
      table.row(
          forward.text("name"),
          "",
          "",
          forward.text("target") + (root.isPresent() ? "" : ", no cluster yet"));
      root.ifPresent(node -> node(table, node, "  "));
    }
    return table.lines();
  }

  private static void node(TextTable table, JsonView node, String indent) {
    table.row(
        indent + node.place("name"), node.text("policy"), node.text("state"), node.text("detail"));
    node.list("children").forEach(child -> node(table, child, indent + "  "));
    for (JsonView endpoint : node.list("endpoints")) {
      table.row(
          indent + "  " + endpoint.text("address"), "", endpoint.text("state"), detail(endpoint));
    }
  }

  private static String detail(JsonView endpoint) {
    return endpoint.format("health %s, weight %s, active %s", "health", "weight", "active_requests")
        + endpoint
            .object("ejected")
            .map(each -> ", ejected by " + each.text("by") + " until " + each.text("until"))
            .orElse("");
  }
}
