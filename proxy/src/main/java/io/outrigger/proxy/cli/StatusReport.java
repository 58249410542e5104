package io.outrigger.proxy.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;

/** Tables made of the admin server's JSON: forwards, control planes, resources, tree, events. */
final class StatusReport {
  private static final int EVENTS_SHOWN = 10;
  private static final int MAX_MESSAGE = 160;

  private StatusReport() {}

  /**
   * Renders four answers as lines.
   *
   * @param forwards of {@code /forwards}
   * @param xds of {@code /xds}
   * @param lb of {@code /lb}
   * @param events of {@code /events}
   * @throws JsonParseException when one of them is not of its form
   */
  static List<String> render(String forwards, String xds, String lb, String events) {
    List<String> lines = new ArrayList<>();
    try {
      lines.addAll(forwards(JsonParser.parseString(forwards).getAsJsonArray()));
      lines.add("");
      JsonObject known = JsonParser.parseString(xds).getAsJsonObject();
      lines.addAll(servers(known));
      lines.add("");
      lines.addAll(resources(known));
      lines.add("");
      lines.addAll(tree(JsonParser.parseString(lb).getAsJsonObject()));
      lines.add("");
      lines.addAll(events(JsonParser.parseString(events).getAsJsonArray()));
    } catch (IllegalStateException | UnsupportedOperationException e) {
      throw new JsonParseException(e);
    }
    return lines;
  }

  private static List<String> forwards(JsonArray forwards) {
    TextTable table = new TextTable("FORWARD", "LISTEN", "TARGET", "STATE", "ERROR");
    for (JsonElement element : forwards) {
      JsonObject forward = element.getAsJsonObject();
      table.row(
          text(forward, "name"),
          text(forward, "listen"),
          text(forward, "target"),
          text(forward, "state"),
          text(forward, "error"));
    }
    return table.lines();
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

  /** The latest, the newest last. */
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

  /** A plain value as text; anything else as JSON; empty when absent. */
  private static String text(JsonObject object, String name) {
    JsonElement element = object.get(name);
    if (element == null || element.isJsonNull()) {
      return "";
    }
    return element.isJsonPrimitive() ? element.getAsString() : element.toString();
  }
}
