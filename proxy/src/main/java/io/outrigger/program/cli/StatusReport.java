package io.outrigger.program.cli;

import io.outrigger.base.Count;
import io.outrigger.base.PlainText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Renders the admin server's JSON as tables: forwards, served addresses, control planes, resources,
 * load-balancing trees, local policy and events.
 */
final class StatusReport {
  private static final int EVENTS_SHOWN = 10;
  private static final String LONG_MESSAGE = "(?s)(.{160}).+";

  private static final Comparator<JsonView> FAILING =
      Comparator.comparing((JsonView forward) -> forward.text("error").isEmpty())
          .thenComparing(forward -> forward.number("failing") == 0);

  private StatusReport() {}

  record Lines(List<String> problems, List<String> tables) {}

  /**
   * A table of text columns for a terminal. Terminal control characters in cells are replaced,
   * because the text comes from other processes.
   */
  private static final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... headings) {
      row(headings);
    }

    void row(String... cells) {
      rows.add(
          Stream.of(cells).map(PlainText::of).map(cell -> cell.isEmpty() ? "-" : cell).toList());
    }

    List<String> with(List<JsonView> views, Function<JsonView, String[]> cells) {
      views.forEach(view -> row(cells.apply(view)));
      return lines();
    }

    /** Returns the lines of the table, without trailing spaces. */
    List<String> lines() {
      List<String> lines = new ArrayList<>();
      for (List<String> row : rows) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < row.size(); column++) {
          line.append(row.get(column));
          line.append(" ".repeat(width(column) - row.get(column).length() + 2));
        }
        lines.add(line.toString().stripTrailing());
      }
      return lines;
    }

    private int width(int column) {
      return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }
  }

  /**
   * @param replies is a JSON object that maps the name of each admin endpoint to its reply
   * @throws com.google.gson.JsonParseException when a reply has an unexpected form
   */
  static Lines render(JsonView replies) {
    List<JsonView> forwards = replies.list("forwards").stream().sorted(FAILING).toList();
    List<JsonView> served = replies.list("listeners");
    JsonView known = replies.object("xds").orElse(JsonView.EMPTY);
    List<JsonView> servers =
        known.list("servers").stream().filter(StatusReport::isControlPlane).toList();
    List<String> problems = new ArrayList<>();
    forwards.stream()
        .filter(StatusReport::hasError)
        .map(
            each ->
                "forward %s: %s: %s".formatted(each.name(), reachability(each), each.text("error")))
        .forEach(problems::add);
    served.stream()
        .filter(StatusReport::hasError)
        .map(listener -> listener.format("serve %s: %s: %s", "name", "state", "error"))
        .forEach(problems::add);
    replies.list("certs").stream()
        .filter(StatusReport::hasError)
        .map(provider -> provider.format("certificate %s: %s", "instance", "error"))
        .forEach(problems::add);
    servers.stream()
        .filter(server -> !server.text("connected").equals("true"))
        .filter(server -> !server.text("asked").equals("false")) // skips unused fallbacks
        .map(server -> server.format("control plane %s: not connected: %s", "uri", "lastError"))
        .map(line -> line.replaceFirst(": $", ""))
        .forEach(problems::add);
    replies.object("overlay").map(each -> each.list("errors")).orElse(List.of()).stream()
        .map(error -> error.format("local policy %s:%s: %s", "file", "line", "message"))
        .map(line -> line.replaceFirst(":0: ", ": ")) // the error concerns the whole file
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
    List<String> overlay =
        replies.object("overlay").map(JsonView::json).map(Outline::of).orElse(List.of());
    List<List<String>> parts = new ArrayList<>();
    parts.add(forwards(forwards));
    parts.add(served.isEmpty() ? List.of() : listeners(served));
    parts.add(servers.isEmpty() ? List.of() : servers(servers));
    parts.add(resources(known));
    parts.add(tree(replies.object("lb").orElse(JsonView.EMPTY)));
    Stream<String> policy = Stream.concat(Stream.of("LOCAL POLICY"), overlay.stream());
    parts.add(overlay.isEmpty() ? List.of() : policy.toList());
    parts.add(events(replies.list("events")));
    List<String> lines =
        parts.stream()
            .filter(part -> !part.isEmpty())
            .flatMap(part -> Stream.concat(Stream.of(""), part.stream()))
            .skip(1)
            .toList();
    return new Lines(problems.stream().map(PlainText::of).toList(), lines);
  }

  private static boolean hasError(JsonView view) {
    return !view.text("error").isEmpty();
  }

  /** Returns the forward's state, with the number of reachable endpoints if endpoints are known. */
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
    return new Table("FORWARD", "LISTEN", "TARGET", "STATE", "ERROR")
        .with(
            forwards,
            each ->
                new String[] {
                  each.name(),
                  each.text("listen"),
                  each.text("target"),
                  reachability(each),
                  each.text("error")
                });
  }

  private static List<String> listeners(List<JsonView> listeners) {
    return new Table("SERVE", "LISTEN", "APP", "STATE", "CONNECTIONS", "ERROR")
        .with(
            listeners,
            each -> each.texts("name", "listen", "app", "state", "connections", "error"));
  }

  /**
   * Whether a server of {@code /xds} is a control plane, not the sidecar's own source of {@code
   * dns:} or {@code k8s:} targets.
   */
  private static boolean isControlPlane(JsonView server) {
    String uri = server.text("uri");
    return !uri.equals("dns") && !uri.startsWith("k8s:");
  }

  private static List<String> servers(List<JsonView> servers) {
    return new Table("CONTROL PLANE", "IN USE", "CONNECTED", "NACKS", "FAILURES", "LAST ERROR")
        .with(
            servers,
            each -> {
              String scope = each.text("clientScope").replace("#server", "--serve");
              String[] cells =
                  each.texts("uri", "asked", "connected", "nacks", "failures", "lastError");
              cells[0] += scope.isEmpty() ? "" : " for " + scope;
              return cells;
            });
  }

  private static List<String> events(List<JsonView> events) {
    return new Table("TIME", "EVENT", "SUBJECT", "MESSAGE")
        .with(
            events.subList(Math.max(0, events.size() - EVENTS_SHOWN), events.size()),
            event ->
                new String[] {
                  event.millis("time"),
                  event.text("kind"),
                  event.text("subject"),
                  event.text("message").replaceFirst(LONG_MESSAGE, "$1…")
                });
  }

  private static List<String> resources(JsonView xds) {
    return new Table("RESOURCE", "TYPE", "STATE", "VERSION", "ERROR")
        .with(
            xds.list("resources"),
            resource ->
                new String[] {
                  resource.name(),
                  resource.text("typeUrl").replaceFirst(".*[.]", ""),
                  resource.text("clientStatus"),
                  resource.text("versionInfo"),
                  resource.object("errorState").orElse(JsonView.EMPTY).text("details")
                });
  }

  private static List<String> tree(JsonView lb) {
    var table = new Table("LB TREE", "POLICY", "STATE", "DETAIL");
    for (JsonView forward : lb.list("forwards")) {
      Optional<JsonView> root = forward.object("root");
      String target = forward.text("target");
      table.row(forward.name(), "", "", root.isPresent() ? target : target + ", no cluster yet");
      root.ifPresent(node -> node(table, node, "  "));
    }
    return table.lines();
  }

  private static void node(Table table, JsonView node, String indent) {
    table.row(
        indent + node.shownName("name"),
        node.text("policy"),
        node.text("state"),
        node.text("detail"));
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
            .map(each -> each.format(", ejected by %s until %s", "by", "until"))
            .orElse("");
  }
}
