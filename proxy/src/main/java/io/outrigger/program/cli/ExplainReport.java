package io.outrigger.program.cli;

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

  static List<String> lines(JsonView answer) {
    var report = new ExplainReport();
    report.add("", "forward %s, target %s", answer.text("forward"), answer.text("target"));
    answer
        .object("request")
        .ifPresent(
            request ->
                report.add("", "request %s %s", request.text("method"), request.text("path")));
    answer
        .object("virtual_host")
        .ifPresent(
            host ->
                report.add(
                    "",
                    "virtual host \"%s\": domain \"%s\" fits authority \"%s\"",
                    host.text("name"),
                    host.text("domain"),
                    answer.text("authority")));
    answer.list("routes").forEach(report::route);
    answer.list("branches").forEach(report::branch);
    List<String> unknown = answer.strings("not_known");
    if (!unknown.isEmpty()) {
      report.add("", "not known without sending:");
      unknown.forEach(line -> report.add("  ", "%s", line));
    }
    return report.lines;
  }

  /** Renders the reply about a served address. */
  static List<String> served(JsonView answer) {
    var report = new ExplainReport();
    report.add("", "%s: %s", answer.text("verdict"), answer.text("reason"));
    report.add(
        "",
        "serve %s%s",
        answer.text("serve"),
        answer.text("tls").equals("true") ? ", with TLS" : "");
    answer
        .object("chain")
        .ifPresent(
            chain -> report.add("", "chain \"%s\": %s", chain.text("name"), chain.text("reason")));
    report.add(
        "", "virtual host \"%s\", route \"%s\"", answer.text("virtual_host"), answer.text("route"));
    for (JsonView filter : answer.list("filters")) {
      String policy = filter.text("policy");
      report.add(
          "  ",
          "filter %s (%s): %s%s",
          filter.text("name"),
          filter.text("action"),
          filter.text("verdict"),
          policy.isEmpty() ? ", no policy matches" : " by policy " + policy);
    }
    return report.lines;
  }

  /** Renders the reply about the last real request. */
  static List<String> last(JsonView answer) {
    var report = new ExplainReport();
    answer.names().forEach(name -> report.add("", "%s: %s", name, answer.text(name)));
    return report.lines;
  }

  private void route(JsonView route) {
    String name = route.text("name");
    String missed = route.text("missed");
    add(
        "  ",
        "route #%s %s(%s): %s%s",
        route.text("index"),
        name.isEmpty() ? "" : "\"" + name + "\" ",
        route.text("path"),
        route.text("result"),
        missed.isEmpty() ? "" : ", " + missed);
  }

  private void branch(JsonView branch) {
    add("", "%s of such requests:", percent(branch, "probability"));
    branch
        .object("reject")
        .ifPresent(
            reject ->
                add(
                    "  ",
                    "are answered here: %s: %s",
                    reject.text("code"),
                    reject.text("message")));
    branch.object("route").ifPresent(route -> forwarded(branch, route));
  }

  private void forwarded(JsonView branch, JsonView route) {
    add("  ", "route #%s to cluster %s", route.text("index"), branch.text("cluster"));
    route
        .object("metadata")
        .ifPresent(
            metadata ->
                metadata
                    .json()
                    .entrySet()
                    .forEach(
                        each -> add("    ", "metadata %s: %s", each.getKey(), each.getValue())));
    for (JsonView cluster : branch.list("clusters")) {
      add("    ", "weight %s: %s", cluster.text("weight"), cluster.text("name"));
    }
    branch.object("timeout").ifPresent(timeout -> timeout(timeout, route));
    branch
        .object("retry")
        .ifPresent(
            retry ->
                add(
                    "  ",
                    "at most %s attempts, on %s",
                    retry.text("max_attempts"),
                    String.join(", ", retry.strings("codes"))));
    route.list("overlay").forEach(value -> overlay("route", value));
    branch.list("cluster_overlay").forEach(value -> overlay("cluster", value));
    branch.list("filters").forEach(this::filter);
    branch.object("session").ifPresent(this::session);
    pick(branch);
  }

  private void timeout(JsonView timeout, JsonView route) {
    add("  ", "time limit %s (%s)", limit(timeout), timeout.text("source"));
    timeout
        .object("without_overlay")
        .ifPresent(
            without -> add("    ", "would be %s without %s", limit(without), timeoutRules(route)));
  }

  private static String limit(JsonView timeout) {
    String effective = timeout.text("effective");
    return effective.isEmpty() ? "none" : effective.replaceFirst("\\.0$", "") + " s";
  }

  /** Returns the rules that set a timeout. */
  private static String timeoutRules(JsonView route) {
    return route.list("overlay").stream()
        .filter(value -> TIMEOUT_FIELDS.stream().anyMatch(value.text("field")::startsWith))
        .map(ExplainReport::rule)
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private static String rule(JsonView value) {
    return value.format("rule %s of %s:%s", "rule", "file", "line");
  }

  private void overlay(String subject, JsonView value) {
    add("  ", "%s: %s %s, from %s", subject, value.text("field"), value.text("value"), rule(value));
  }

  private void filter(JsonView filter) {
    String settings =
        filter.names().stream()
            .filter(name -> !name.equals("kind"))
            .map(name -> name + " " + filter.text(name))
            .collect(Collectors.joining(", "));
    add("  ", "filter %s: %s", filter.text("kind"), settings);
  }

  private void session(JsonView session) {
    String kept =
        switch (session.text("kept")) {
          case "true" -> "kept";
          case "false" -> "none of its endpoints can be had, the balancer picks";
          default -> "the first one here; it waits a moment until endpoints are looked up";
        };
    add(
        "  ",
        "session of cookie %s: %s",
        session.text("cookie"),
        session.text("begins").equals("true") ? "begins with this request" : kept);
    for (JsonView endpoint : session.list("endpoints")) {
      String owner = endpoint.text("owner");
      add(
          "    ",
          "%s: %s%s",
          endpoint.text("address"),
          endpoint.text("standing"),
          owner.isEmpty() ? "" : ", owned by " + owner);
    }
  }

  private void pick(JsonView branch) {
    String indent = "  ";
    for (JsonView node : branch.list("path")) {
      String detail = node.text("detail");
      add(
          indent,
          "%s: %s, %s%s",
          node.text("policy"),
          node.text("name"),
          node.text("state"),
          detail.isEmpty() ? "" : ", " + detail);
      indent += " ";
    }
    branch
        .object("circuit_breaker")
        .ifPresent(
            breaker ->
                add(
                    "  ",
                    "circuit breaker: %s of %s requests in flight%s",
                    breaker.text("in_flight"),
                    breaker.text("limit"),
                    breaker.text("full").equals("true") ? ", full" : ""));
    for (JsonView drop : branch.list("drops")) {
      add("  ", "drops %s in category %s", percent(drop, "share"), drop.text("category"));
    }
    branch.object("hash").ifPresent(this::hash);
    endpoints(branch.list("candidates"), true);
    if (branch.number("waits") > 0) {
      add("  ", "%s wait for a connection", percent(branch, "waits"));
    }
    for (JsonView failure : branch.list("failures")) {
      add("  ", "%s fail: %s", percent(failure, "probability"), failure.text("message"));
    }
    endpoints(branch.list("excluded"), false);
  }

  private void hash(JsonView hash) {
    String place =
        hash.text("value").isEmpty()
            ? ""
            : hash.format(", %s, slot %s of %s", "value", "ring_slot", "ring_size");
    add("  ", "hash: %s%s", hash.text("source"), place);
  }

  private void endpoints(List<JsonView> endpoints, boolean areCandidates) {
    for (JsonView endpoint : endpoints.subList(0, Math.min(endpoints.size(), MAX_ENDPOINTS))) {
      add(
          "  ",
          areCandidates ? "%s (%s) with %s" : "not %s (%s): %s",
          endpoint.text("address"),
          endpoint.text("locality"),
          areCandidates ? percent(endpoint, "probability") : endpoint.text("reason"));
    }
    if (endpoints.size() > MAX_ENDPOINTS) {
      add("  ", "and %d more; --json lists them", endpoints.size() - MAX_ENDPOINTS);
    }
  }

  private static String percent(JsonView of, String share) {
    return String.format(Locale.ROOT, "%.4g %%", of.number(share) * 100)
        .replaceFirst("\\.?0+ %", " %");
  }

  /** Adds a line. Text from other processes is cleaned of terminal control characters. */
  private void add(String indent, String form, Object... values) {
    lines.add(indent + PlainText.of(String.format(Locale.ROOT, form, values)));
  }
}
