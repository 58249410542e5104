package io.outrigger.program.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.outrigger.base.Count;
import io.outrigger.base.PlainText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Renders the admin server's JSON as tables: forwards, control planes, resources, trees, local
 * policy and events.
 */
final class StatusReport {
  private static final int EVENTS_SHOWN = 10;
  private static final int MAX_MESSAGE = 160;
  private static final int OVERLAID_SHOWN = 4;

  private StatusReport() {}

  /**
   * The replies of the admin server.
   *
   * @param forwards the reply of {@code /forwards}
   * @param xds the reply of {@code /xds}
   * @param lb the reply of {@code /lb}
   * @param overlay the reply of {@code /overlay}; it has no tables without rules and errors
   * @param certs the reply of {@code /certs}
   * @param events the reply of {@code /events}
   */
  record Answers(
      String forwards,
      String xds,
      String lb,
      Optional<String> overlay,
      Optional<String> certs,
      String events) {}

  /**
   * The rendered replies.
   *
   * @param problems one line per failure, including certificates that expire soon
   */
  record Lines(List<String> problems, List<String> tables) {}

  /**
   * Renders the replies as lines.
   *
   * @param now the current time, which decides whether certificates have expired or expire soon
   * @throws JsonParseException when a reply has an unexpected form
   */
  static Lines render(Answers answers, Instant now) {
    List<String> problems = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    try {
      List<JsonObject> forwards = forwards(answers.forwards());
      JsonObject known = JsonParser.parseString(answers.xds()).getAsJsonObject();
      forwards.forEach(forward -> forwardProblem(forward).ifPresent(problems::add));
      answers.certs().ifPresent(certs -> problems.addAll(CertsReport.problems(certs, now)));
      array(known, "servers").forEach(server -> serverProblem(server).ifPresent(problems::add));
      lines.addAll(forwards(forwards));
      lines.add("");
      lines.addAll(servers(known));
      lines.add("");
      lines.addAll(resources(known));
      lines.add("");
      lines.addAll(tree(JsonParser.parseString(answers.lb()).getAsJsonObject()));
      answers
          .overlay()
          .map(answer -> JsonParser.parseString(answer).getAsJsonObject())
          .ifPresent(answer -> lines.addAll(overlay(answer)));
      lines.add("");
      lines.addAll(events(JsonParser.parseString(answers.events()).getAsJsonArray()));
    } catch (IllegalStateException | UnsupportedOperationException e) {
      throw new JsonParseException(e);
    }
    return new Lines(problems.stream().map(PlainText::of).toList(), lines);
  }

  /** Returns the forwards, failing ones first. */
  private static List<JsonObject> forwards(String forwards) {
    return JsonParser.parseString(forwards).getAsJsonArray().asList().stream()
        .map(JsonElement::getAsJsonObject)
        .sorted(
            Comparator.comparing((JsonObject forward) -> forwardProblem(forward).isEmpty())
                .thenComparing(forward -> number(forward, "failing") == 0))
        .toList();
  }

  /** Returns a line that says why calls of the forward fail or wait. */
  private static Optional<String> forwardProblem(JsonObject forward) {
    return text(forward, "error").isEmpty()
        ? Optional.empty()
        : Optional.of(
            "forward %s: %s: %s"
                .formatted(text(forward, "name"), standing(forward), text(forward, "error")));
  }

  /** Returns the forward's state, with the number of reachable backends if backends are known. */
  private static String standing(JsonObject forward) {
    long endpoints = number(forward, "endpoints");
    return endpoints == 0
        ? text(forward, "state")
        : "%s, %d of %s reachable"
            .formatted(
                text(forward, "state"),
                endpoints - number(forward, "failing"),
                Count.of(endpoints, "backend"));
  }

  private static List<String> forwards(List<JsonObject> forwards) {
    TextTable table = new TextTable("FORWARD", "LISTEN", "TARGET", "STATE", "ERROR");
    for (JsonObject forward : forwards) {
      table.row(
          text(forward, "name"),
          text(forward, "listen"),
          text(forward, "target"),
          standing(forward),
          text(forward, "error"));
    }
    return table.lines();
  }

  /** Returns a line when a control plane should be connected but is not. */
  private static Optional<String> serverProblem(JsonElement element) {
    JsonObject server = element.getAsJsonObject();
    return text(server, "use").equals("standby") || text(server, "connected").equals("true")
        ? Optional.empty()
        : Optional.of(
            "control plane %s: not connected%s"
                .formatted(
                    text(server, "uri"),
                    text(server, "lastError").isEmpty() ? "" : ": " + text(server, "lastError")));
  }

  private static List<String> servers(JsonObject xds) {
    TextTable table =
        new TextTable("CONTROL PLANE", "USE", "CONNECTED", "NACKS", "FAILURES", "LAST ERROR");
    for (JsonElement element : array(xds, "servers")) {
      JsonObject server = element.getAsJsonObject();
      table.row(
          text(server, "uri"),
          text(server, "use"),
          text(server, "connected"),
          text(server, "nacks"),
          text(server, "failures"),
          text(server, "lastError"));
    }
    return table.lines();
  }

  /** Renders each table that has rows, with an empty line before it. */
  private static List<String> overlay(JsonObject overlay) {
    TextTable rules = new TextTable("RULE", "FILE", "MODE", "MATCHES", "SETS", "LEFT OUT");
    for (JsonElement element : array(overlay, "rules")) {
      JsonObject rule = element.getAsJsonObject();
      rules.row(
          text(rule, "name"),
          text(rule, "file") + ":" + text(rule, "line"),
          text(rule, "mode"),
          matches(rule.getAsJsonObject("matched")),
          joined(fields(array(rule, "set"))),
          joined(array(rule, "left_out").asList().stream().map(StatusReport::leftOut)));
    }
    TextTable errors = new TextTable("OVERLAY FILE", "ERROR");
    for (JsonElement element : array(overlay, "errors")) {
      JsonObject error = element.getAsJsonObject();
      errors.row(
          "%s:%s:%s".formatted(text(error, "file"), text(error, "line"), text(error, "column")),
          text(error, "message"));
    }
    List<String> lines = new ArrayList<>();
    for (TextTable table : List.of(rules, errors)) {
      if (!table.isEmpty()) {
        lines.add("");
        lines.addAll(table.lines());
      }
    }
    return lines;
  }

  private static String matches(JsonObject matched) {
    long clusters = matched.get("clusters").getAsLong();
    long routes = matched.get("routes").getAsLong();
    String text =
        Stream.of(
                clusters > 0 ? Count.of(clusters, "cluster") : "",
                routes > 0 ? Count.of(routes, "route") : "")
            .filter(each -> !each.isEmpty())
            .collect(Collectors.joining(", "));
    return text.isEmpty() ? "nothing" : text;
  }

  /** Returns the names of the fields that a rule sets, in any resource. */
  private static Stream<String> fields(JsonArray set) {
    return set.asList().stream().map(each -> text(each.getAsJsonObject(), "field"));
  }

  private static String leftOut(JsonElement omission) {
    JsonObject left = omission.getAsJsonObject();
    String field = text(left, "field");
    return text(left, "resource")
        + ": "
        + (field.isEmpty() ? "" : field + ": ")
        + text(left, "reason");
  }

  /**
   * Joins the distinct texts. At most four texts are shown, followed by the number of further
   * texts.
   */
  private static String joined(Stream<String> texts) {
    List<String> all = texts.distinct().toList();
    String shown = String.join(", ", all.subList(0, Math.min(all.size(), OVERLAID_SHOWN)));
    return all.size() > OVERLAID_SHOWN
        ? shown + " and " + (all.size() - OVERLAID_SHOWN) + " more"
        : shown;
  }

  /** Renders the latest events, the newest last. */
  private static List<String> events(JsonArray events) {
    TextTable table = new TextTable("TIME", "EVENT", "SUBJECT", "MESSAGE");
    for (int i = Math.max(0, events.size() - EVENTS_SHOWN); i < events.size(); i++) {
      JsonObject event = events.get(i).getAsJsonObject();
      String message = text(event, "message");
      table.row(
          text(event, "time").replaceFirst("(\\.\\d{3})\\d+Z$", "$1Z"),
          text(event, "kind"),
          text(event, "subject"),
          message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) + "…" : message);
    }
    return table.lines();
  }

  private static List<String> resources(JsonObject xds) {
    TextTable table = new TextTable("RESOURCE", "TYPE", "STATE", "VERSION", "ERROR");
    for (JsonElement element : array(xds, "resources")) {
      JsonObject resource = element.getAsJsonObject();
      String url = text(resource, "typeUrl");
      table.row(
          text(resource, "name"),
          url.substring(url.lastIndexOf('.') + 1),
          text(resource, "clientStatus"),
          text(resource, "versionInfo"),
          resource.get("errorState") instanceof JsonObject error ? text(error, "details") : "");
    }
    return table.lines();
  }

  private static List<String> tree(JsonObject lb) {
    TextTable table = new TextTable("LB TREE", "POLICY", "STATE", "DETAIL");
    for (JsonElement element : array(lb, "forwards")) {
      JsonObject forward = element.getAsJsonObject();
      String target = text(forward, "target");
      if (forward.get("root") instanceof JsonObject root) {
        table.row(text(forward, "name"), "", "", target);
        node(table, root, "  ");
      } else {
        table.row(text(forward, "name"), "", "", target + ", no cluster yet");
      }
    }
    return table.lines();
  }

  private static void node(TextTable table, JsonObject node, String indent) {
    table.row(
        indent + text(node, "name"),
        text(node, "policy"),
        text(node, "state"),
        text(node, "detail"));
    for (JsonElement child : array(node, "children")) {
      node(table, child.getAsJsonObject(), indent + "  ");
    }
    for (JsonElement element : array(node, "endpoints")) {
      JsonObject endpoint = element.getAsJsonObject();
      table.row(
          indent + "  " + text(endpoint, "address"), "", text(endpoint, "state"), detail(endpoint));
    }
  }

  private static String detail(JsonObject endpoint) {
    List<String> parts = new ArrayList<>();
    parts.add("health " + text(endpoint, "health"));
    parts.add("weight " + text(endpoint, "weight"));
    parts.add("active " + text(endpoint, "active_requests"));
    if (endpoint.get("ejected") instanceof JsonObject ejected) {
      parts.add("ejected by " + text(ejected, "by") + " until " + text(ejected, "until"));
    }
    return String.join(", ", parts);
  }

  private static JsonArray array(JsonObject object, String name) {
    return object.get(name) instanceof JsonArray array ? array : new JsonArray();
  }

  /** Returns a number; 0 when it is absent, as in replies of older sidecars. */
  private static long number(JsonObject object, String name) {
    return object.has(name) ? object.get(name).getAsLong() : 0;
  }

  /** Returns a plain value as text, another value as JSON, and empty text for an absent value. */
  private static String text(JsonObject object, String name) {
    JsonElement element = object.get(name);
    if (element == null || element.isJsonNull()) {
      return "";
    }
    return element.isJsonPrimitive() ? element.getAsString() : element.toString();
  }
}
