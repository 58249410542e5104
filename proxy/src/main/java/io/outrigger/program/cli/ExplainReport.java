package io.outrigger.program.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.base.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Renders the reply of {@code /explain} as lines for people. */
final class ExplainReport {
  private static final int MAX_ENDPOINTS = 20;
  private static final List<String> TIMEOUT_FIELDS =
      List.of("timeout", "max_grpc_timeout", "max_stream_duration");

  private final List<String> lines = new ArrayList<>();

  private ExplainReport() {}

  static List<String> lines(JsonObject answer) {
    var report = new ExplainReport();
    report.add("", "forward %s, target %s", text(answer, "forward"), text(answer, "target"));
    JsonObject request = answer.getAsJsonObject("request");
    report.add("", "request %s %s", text(request, "method"), text(request, "path"));
    if (answer.get("virtual_host") instanceof JsonObject host) {
      report.add(
          "",
          "virtual host \"%s\": domain \"%s\" fits authority \"%s\"",
          text(host, "name"),
          text(host, "domain"),
          text(answer, "authority"));
    }
    answer.getAsJsonArray("routes").forEach(route -> report.route(route.getAsJsonObject()));
    for (JsonElement branch : answer.getAsJsonArray("branches")) {
      report.branch(branch.getAsJsonObject());
    }
    JsonArray unknown = answer.getAsJsonArray("not_known");
    if (!unknown.isEmpty()) {
      report.add("", "not known without sending:");
      unknown.forEach(line -> report.add("  ", "%s", line.getAsString()));
    }
    return report.lines;
  }

  /** Renders the reply about the last real request. */
  static List<String> last(JsonObject answer) {
    var report = new ExplainReport();
    answer
        .entrySet()
        .forEach(
            member -> report.add("", "%s: %s", member.getKey(), text(answer, member.getKey())));
    return report.lines;
  }

  private void route(JsonObject route) {
    String name = text(route, "name");
    String missed = text(route, "missed");
    add(
        "  ",
        "route #%s %s(%s): %s%s",
        text(route, "index"),
        name.isEmpty() ? "" : "\"" + name + "\" ",
        text(route, "path"),
        text(route, "result"),
        missed.isEmpty() ? "" : ", " + missed);
  }

  private void branch(JsonObject branch) {
    add("", "%s of such requests:", percent(branch));
    if (branch.get("reject") instanceof JsonObject reject) {
      add("  ", "are answered here: %s: %s", text(reject, "code"), text(reject, "message"));
      return;
    }
    JsonObject route = branch.getAsJsonObject("route");
    add("  ", "route #%s to cluster %s", text(route, "index"), text(branch, "cluster"));
    JsonObject metadata = route.getAsJsonObject("metadata");
    metadata
        .entrySet()
        .forEach(each -> add("    ", "metadata %s: %s", each.getKey(), each.getValue()));
    for (JsonElement element : array(branch, "clusters")) {
      JsonObject cluster = element.getAsJsonObject();
      add("    ", "weight %s: %s", text(cluster, "weight"), text(cluster, "name"));
    }
    JsonObject timeout = branch.getAsJsonObject("timeout");
    add("  ", "time limit %s (%s)", limit(timeout), text(timeout, "source"));
    if (timeout.get("without_overlay") instanceof JsonObject without) {
      add("    ", "would be %s without %s", limit(without), rules(route, TIMEOUT_FIELDS));
    }
    if (branch.get("retry") instanceof JsonObject retry) {
      add(
          "  ",
          "at most %s attempts, on %s",
          text(retry, "max_attempts"),
          joined(array(retry, "codes")));
    }
    overlay("route", array(route, "overlay"));
    overlay("cluster", array(branch, "cluster_overlay"));
    for (JsonElement filter : array(branch, "filters")) {
      filter(filter.getAsJsonObject());
    }
    if (branch.get("session") instanceof JsonObject session) {
      session(session);
    }
    pick(branch);
  }

  private static String limit(JsonObject timeout) {
    String effective = text(timeout, "effective");
    return effective.isEmpty() ? "none" : effective.replaceFirst("\\.0$", "") + " s";
  }

  /** Returns the rules that set one of {@code fields} or a field inside it. */
  private static String rules(JsonObject of, List<String> fields) {
    return array(of, "overlay").asList().stream()
        .map(JsonElement::getAsJsonObject)
        .filter(value -> fields.stream().anyMatch(text(value, "field")::startsWith))
        .map(ExplainReport::rule)
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private static String rule(JsonObject value) {
    return "rule %s of %s:%s"
        .formatted(text(value, "rule"), text(value, "file"), text(value, "line"));
  }

  private void overlay(String subject, JsonArray values) {
    for (JsonElement element : values) {
      JsonObject value = element.getAsJsonObject();
      add(
          "  ",
          "%s: %s %s, from %s",
          subject,
          text(value, "field"),
          text(value, "value"),
          rule(value));
    }
  }

  private void filter(JsonObject filter) {
    List<String> settings = new ArrayList<>();
    filter
        .entrySet()
        .forEach(
            each -> {
              if (!each.getKey().equals("kind")) {
                settings.add(each.getKey() + " " + text(filter, each.getKey()));
              }
            });
    add("  ", "filter %s: %s", text(filter, "kind"), String.join(", ", settings));
  }

  private void session(JsonObject session) {
    boolean begins = session.get("begins").getAsBoolean();
    String kept =
        switch (text(session, "kept")) {
          case "true" -> "kept";
          case "false" -> "none of its endpoints can be had, the balancer picks";
          default -> "the first one here; it waits a moment until endpoints are looked up";
        };
    add(
        "  ",
        "session of cookie %s: %s",
        text(session, "cookie"),
        begins ? "begins with this request" : kept);
    for (JsonElement element : array(session, "endpoints")) {
      JsonObject endpoint = element.getAsJsonObject();
      String owner = text(endpoint, "owner");
      add(
          "    ",
          "%s: %s%s",
          text(endpoint, "address"),
          text(endpoint, "standing"),
          owner.isEmpty() ? "" : ", owned by " + owner);
    }
  }

  private void pick(JsonObject branch) {
    String indent = "  ";
    for (JsonElement element : array(branch, "path")) {
      JsonObject node = element.getAsJsonObject();
      String detail = text(node, "detail");
      add(
          indent,
          "%s: %s, %s%s",
          text(node, "policy"),
          text(node, "name"),
          text(node, "state"),
          detail.isEmpty() ? "" : ", " + detail);
      indent += " ";
    }
    if (branch.get("circuit_breaker") instanceof JsonObject breaker) {
      add(
          "  ",
          "circuit breaker: %s of %s requests in flight%s",
          text(breaker, "in_flight"),
          text(breaker, "limit"),
          breaker.get("full").getAsBoolean() ? ", full" : "");
    }
    for (JsonElement drop : array(branch, "drops")) {
      JsonObject category = drop.getAsJsonObject();
      add(
          "  ",
          "drops %s in category %s",
          percent(category.get("share").getAsDouble()),
          text(category, "category"));
    }
    if (branch.get("hash") instanceof JsonObject hash) {
      String value = text(hash, "value");
      add(
          "  ",
          "hash: %s%s",
          text(hash, "source"),
          value.isEmpty()
              ? ""
              : ", %s, slot %s of %s"
                  .formatted(value, text(hash, "ring_slot"), text(hash, "ring_size")));
    }
    endpoints(array(branch, "candidates"), true);
    if (branch.has("waits") && branch.get("waits").getAsDouble() > 0) {
      add("  ", "%s wait for a connection", percent(branch.get("waits").getAsDouble()));
    }
    for (JsonElement element : array(branch, "failures")) {
      JsonObject failure = element.getAsJsonObject();
      add("  ", "%s fail: %s", percent(failure), text(failure, "message"));
    }
    endpoints(array(branch, "excluded"), false);
  }

  private void endpoints(JsonArray endpoints, boolean areCandidates) {
    int shown = 0;
    for (JsonElement element : endpoints) {
      if (shown++ == MAX_ENDPOINTS) {
        add("  ", "and %d more; --json lists them", endpoints.size() - MAX_ENDPOINTS);
        return;
      }
      JsonObject endpoint = element.getAsJsonObject();
      add(
          "  ",
          areCandidates ? "%s (%s) with %s" : "not %s (%s): %s",
          text(endpoint, "address"),
          text(endpoint, "locality"),
          areCandidates ? percent(endpoint) : text(endpoint, "reason"));
    }
  }

  private static String percent(JsonObject of) {
    return percent(of.get("probability").getAsDouble());
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.4g %%", share * 100).replaceFirst("\\.?0+ %", " %");
  }

  private static String joined(JsonArray words) {
    return words.asList().stream().map(JsonElement::getAsString).collect(Collectors.joining(", "));
  }

  private static JsonArray array(JsonObject object, String name) {
    return object.get(name) instanceof JsonArray array ? array : new JsonArray();
  }

  private static String text(JsonObject object, String name) {
    JsonElement element = object.get(name);
    if (element == null || element.isJsonNull()) {
      return "";
    }
    return element.isJsonPrimitive() ? element.getAsString() : element.toString();
  }

  /** Adds a line. Text from other processes is cleaned of terminal control characters. */
  private void add(String indent, String form, Object... values) {
    lines.add(indent + PlainText.of(String.format(Locale.ROOT, form, values)));
  }
}
