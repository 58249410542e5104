package io.outrigger.proxy.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;

/** Tables made of the admin server's JSON: forwards, xDS resources, LB tree. */
final class StatusReport {
  private StatusReport() {}

  /**
   * Renders three answers as lines.
   *
   * @param forwards of {@code /forwards}
   * @param configDump of {@code /config_dump}
   * @param lb of {@code /lb}
   * @throws JsonParseException when one of them is not of its form
   */
  static List<String> render(String forwards, String configDump, String lb) {
    List<String> lines = new ArrayList<>();
    try {
      lines.addAll(forwards(JsonParser.parseString(forwards).getAsJsonArray()));
      lines.add("");
      lines.addAll(resources(JsonParser.parseString(configDump).getAsJsonObject()));
      lines.add("");
      lines.addAll(tree(JsonParser.parseString(lb).getAsJsonObject()));
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

  private static List<String> resources(JsonObject clientConfig) {
    TextTable table = new TextTable("RESOURCE", "TYPE", "STATE", "VERSION", "ERROR");
    for (JsonElement element : array(clientConfig, "genericXdsConfigs")) {
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
      table.row(text(forward, "name"), "", "", text(forward, "target"));
      if (forward.get("root") instanceof JsonObject root) {
        node(table, root, "  ");
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
