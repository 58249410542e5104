package io.outrigger.program.cli;

import io.outrigger.base.PlainText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Renders the reply of {@code /explain} as lines for people. */
final class ExplainReport {
  private static final int MAX_ENDPOINTS = 20;
  private static final List<String> TIMEOUT_FIELDS =
      List.of("timeout", "max_grpc_timeout", "max_stream_duration");

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)\\}|%s");

  private final List<String> lines = new ArrayList<>();

  private ExplainReport() {}

  static List<String> lines(JsonView answer) {
    var report = new ExplainReport();
    report.add("", answer, "forward {forward}, target {target}");
    for (JsonView request : answer.list("request")) {
      report.add("", request, "request {method} {path}");
    }
    for (JsonView host : answer.list("virtual_host")) {
      String form = "virtual host \"{name}\": domain \"{domain}\" fits authority \"%s\"";
      report.add("", host, form, answer.text("authority"));
    }
    answer.list("routes").forEach(report::route);
    answer.list("branches").forEach(report::branch);
    List<String> unknown = answer.strings("not_known");
    if (!unknown.isEmpty()) {
      report.add("", answer, "not known without sending:");
      unknown.forEach(line -> report.add("  ", answer, "%s", line));
    }
    return report.lines;
  }

  /** Renders the reply about a served address. */
  static List<String> served(JsonView answer) {
    var report = new ExplainReport();
    report.add("", answer, "{verdict}: {reason}");
    report.add("", answer, "serve {serve}%s", ifTrue(answer, "tls", ", with TLS"));
    for (JsonView chain : answer.list("chain")) {
      report.add("", chain, "chain \"{name}\": {reason}");
    }
    report.add("", answer, "virtual host \"{virtual_host}\", route \"{route}\"");
    for (JsonView filter : answer.list("filters")) {
      String policy =
          filter.text("policy").isEmpty() ? ", no policy matches" : " by policy {policy}";
      report.add("  ", filter, "filter {name} ({action}): {verdict}" + policy);
    }
    return report.lines;
  }

  /** Renders the reply about the last real request. */
  static List<String> last(JsonView answer) {
    var report = new ExplainReport();
    answer.names().forEach(name -> report.add("", answer, "%s: %s", name, answer.text(name)));
    return report.lines;
  }

  private void route(JsonView route) {
    String name = route.text("name").isEmpty() ? "" : "\"{name}\" ";
    String missed = route.text("missed").isEmpty() ? "" : ", {missed}";
    add("  ", route, "route #{index} " + name + "({path}): {result}" + missed);
  }

  private void branch(JsonView branch) {
    add("", branch, "%s of such requests:", percent(branch, "probability"));
    for (JsonView reject : branch.list("reject")) {
      add("  ", reject, "are answered here: {code}: {message}");
    }
    branch.list("route").forEach(route -> forwarded(branch, route));
  }

  private void forwarded(JsonView branch, JsonView route) {
    add("  ", route, "route #{index} to cluster %s", branch.text("cluster"));
    for (JsonView metadata : route.list("metadata")) {
      metadata
          .json()
          .entrySet()
          .forEach(each -> add("    ", route, "metadata %s: %s", each.getKey(), each.getValue()));
    }
    for (JsonView cluster : branch.list("clusters")) {
      add("    ", cluster, "weight {weight}: {name}");
    }
    branch.list("timeout").forEach(timeout -> timeout(timeout, route));
    for (JsonView retry : branch.list("retry")) {
      String codes = String.join(", ", retry.strings("codes"));
      add("  ", retry, "at most {max_attempts} attempts, on %s", codes);
    }
    route.list("overlay").forEach(value -> overlay("route", value));
    branch.list("cluster_overlay").forEach(value -> overlay("cluster", value));
    branch.list("filters").forEach(this::filter);
    branch.list("session").forEach(this::session);
    pick(branch);
  }

  private void timeout(JsonView timeout, JsonView route) {
    add("  ", timeout, "time limit %s ({source})", limit(timeout));
    for (JsonView without : timeout.list("without_overlay")) {
      add("    ", without, "would be %s without %s", limit(without), timeoutRules(route));
    }
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
    add("  ", value, "%s: {field} {value}, from %s", subject, rule(value));
  }

  private void filter(JsonView filter) {
    String settings =
        filter.names().stream()
            .filter(name -> !name.equals("kind"))
            .map(name -> name + " " + filter.text(name))
            .collect(Collectors.joining(", "));
    add("  ", filter, "filter {kind}: %s", settings);
  }

  private void session(JsonView session) {
    String kept =
        switch (session.text("kept")) {
          case "true" -> "kept";
          case "false" -> "none of its endpoints can be had, the balancer picks";
          default -> "the first one here; it waits a moment until endpoints are looked up";
        };
    boolean begins = session.text("begins").equals("true");
    String state = begins ? "begins with this request" : kept;
    add("  ", session, "session of cookie {cookie}: %s", state);
    for (JsonView endpoint : session.list("endpoints")) {
      String owner = endpoint.text("owner").isEmpty() ? "" : ", owned by {owner}";
      add("    ", endpoint, "{address}: {standing}" + owner);
    }
  }

  private void pick(JsonView branch) {
    String indent = "  ";
    for (JsonView node : branch.list("path")) {
      String detail = node.text("detail").isEmpty() ? "" : ", {detail}";
      add(indent, node, "{policy}: %s, {state}" + detail, node.place("name"));
      indent += " ";
    }
    for (JsonView breaker : branch.list("circuit_breaker")) {
      String form = "circuit breaker: {in_flight} of {limit} requests in flight%s";
      add("  ", breaker, form, ifTrue(breaker, "full", ", full"));
    }
    for (JsonView drop : branch.list("drops")) {
      add("  ", drop, "drops %s in category {category}", percent(drop, "share"));
    }
    for (JsonView hash : branch.list("hash")) {
      String place =
          hash.text("value").isEmpty() ? "" : ", {value}, slot {ring_slot} of {ring_size}";
      add("  ", hash, "hash: {source}" + place);
    }
    endpoints(branch, "candidates", "{address} (%s) with %s");
    if (branch.number("waits") > 0) {
      add("  ", branch, "%s wait for a connection", percent(branch, "waits"));
    }
    for (JsonView failure : branch.list("failures")) {
      add("  ", failure, "%s fail: {message}", percent(failure, "probability"));
    }
    endpoints(branch, "excluded", "not {address} (%s): {reason}");
  }

  private void endpoints(JsonView branch, String list, String form) {
    List<JsonView> endpoints = branch.list(list);
    for (JsonView endpoint : endpoints.subList(0, Math.min(endpoints.size(), MAX_ENDPOINTS))) {
      add("  ", endpoint, form, endpoint.place("locality"), percent(endpoint, "probability"));
    }
    if (endpoints.size() > MAX_ENDPOINTS) {
      add("  ", branch, "and %s more; --json lists them", endpoints.size() - MAX_ENDPOINTS);
    }
  }

  private static String percent(JsonView of, String share) {
    return String.format(Locale.ROOT, "%.4g %%", of.number(share) * 100)
        .replaceFirst("\\.?0+ %", " %");
  }

  private static String ifTrue(JsonView view, String name, String text) {
    return view.text(name).equals("true") ? text : "";
  }

  /**
   * Adds a line. Text from other processes is cleaned of terminal control characters.
   *
   * @param form the line, with {@code {name}} for members of {@code view} and {@code %s} for the
   *     next of {@code values}
   */
  private void add(String indent, JsonView view, String form, Object... values) {
    Iterator<Object> next = Arrays.asList(values).iterator();
    String line =
        PLACEHOLDER
            .matcher(form)
            .replaceAll(
                found ->
                    Matcher.quoteReplacement(
                        found.group(1) == null
                            ? String.valueOf(next.next())
                            : view.text(found.group(1))));
    lines.add(indent + PlainText.of(line));
  }
}
