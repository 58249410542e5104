package io.outrigger.observe.admin;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.decode.ResourceJson;
import io.outrigger.xds.decode.WireNode;
import io.outrigger.xds.status.XdsStatusView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Renders the xDS client's state as JSON: the CSDS form for programs, and a short form for the
 * page.
 *
 * @param node returns the node that identifies this process to the control plane; the node is known
 *     only after the start
 */
public record XdsViews(Supplier<Node> node, String version) {
  /**
   * Returns a CSDS {@code ClientConfig} in proto3 JSON (CONTRACT {@code /config_dump}). If targets
   * have xDS clients of their own (A71), the reply is a {@code ClientStatusResponse} with one
   * {@code ClientConfig} per client.
   *
   * @param type the label of the only type in the reply, such as {@code lds}; empty for all types
   * @param name the name of the only resource in the reply; empty for all resources
   */
  public AdminReply configDump(XdsStatusView view, Optional<String> type, Optional<String> name) {
    List<JsonObject> configs =
        view.clients().stream().map(client -> clientConfig(client, type, name)).toList();
    return AdminReply.json(
        200, configs.size() == 1 ? configs.get(0) : Json.object("config", configs));
  }

  private JsonObject clientConfig(
      XdsStatusView.Client client, Optional<String> type, Optional<String> name) {
    List<JsonObject> resources =
        client.resources().stream()
            .filter(each -> type.map(each.type()::equals).orElse(true))
            .filter(each -> name.map(each.name()::equals).orElse(true))
            .map(each -> resource(each, true))
            .toList();
    return addScope(client, Json.object("node", nodeAsSent(), "genericXdsConfigs", resources));
  }

  /**
   * Returns the state without the contents of resources, so that polling is cheap.
   *
   * @param name the only resource in the reply, with its history; empty for all resources
   */
  public AdminReply summary(XdsStatusView view, Optional<String> name) {
    List<JsonObject> servers = new ArrayList<>();
    List<JsonObject> authorities = new ArrayList<>();
    List<JsonObject> resources = new ArrayList<>();
    for (XdsStatusView.Client client : view.clients()) {
      client.servers().forEach(each -> servers.add(addScope(client, server(each))));
      client.authorities().forEach(each -> authorities.add(addScope(client, authority(each))));
      client.resources().stream()
          .filter(each -> name.map(each.name()::equals).orElse(true))
          .forEach(each -> resources.add(addScope(client, summary(each, name.isPresent()))));
    }
    return AdminReply.json(
        200,
        Json.object(
            "node", node.get().id(),
            "servers", servers,
            "authorities", authorities,
            "resources", resources));
  }

  /** Adds CSDS's client scope (A71) to the object, unless the client serves all targets. */
  private static JsonObject addScope(XdsStatusView.Client client, JsonObject to) {
    if (!client.scope().isEmpty()) {
      to.addProperty("clientScope", client.scope());
    }
    return to;
  }

  private static JsonObject authority(XdsStatusView.Authority authority) {
    return Json.object(
        "name", authority.name(),
        "servers", authority.servers(),
        "serversInUse", authority.inUse(),
        "fallenBack", authority.isFallenBack());
  }

  /** Returns the node as the control plane receives it (A40 "Generated Node Information"). */
  private JsonElement nodeAsSent() {
    try {
      return Json.parsed(JsonFormat.printer().print(WireNode.shown(node.get(), version)));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("metadata read from JSON has a JSON form", e);
    }
  }

  private static JsonObject server(XdsStatusView.Server server) {
    long valid = server.updates().values().stream().mapToLong(XdsStatusView.Updates::valid).sum();
    long invalid =
        server.updates().values().stream().mapToLong(XdsStatusView.Updates::invalid).sum();
    JsonObject json =
        Json.object(
            "uri", server.uri(),
            "asked", server.inUse(),
            "connected", server.attached() && server.connected(),
            "streams", server.streams(),
            "failures", server.failures(),
            "nacks", server.nacks(),
            "valid", valid,
            "invalid", invalid);
    server
        .lastError()
        .ifPresent(
            error -> {
              json.addProperty("lastError", error.status().toString());
              json.addProperty("lastErrorAt", error.at().toString());
            });
    return json;
  }

  private static JsonObject resource(XdsStatusView.Resource resource, boolean withBody) {
    JsonObject json = Json.object("typeUrl", resource.typeUrl(), "name", resource.name());
    if (!resource.version().isEmpty()) {
      json.addProperty("versionInfo", resource.version());
    }
    if (withBody) {
      resource.raw().ifPresent(raw -> json.add("xdsConfig", body(raw)));
    }
    resource.lastUpdated().ifPresent(at -> json.addProperty("lastUpdated", at.toString()));
    json.addProperty(
        "clientStatus",
        withBody ? resource.clientStatus() : resource.state().toUpperCase(Locale.ROOT));
    resource.error().ifPresent(error -> json.add("errorState", error(error, withBody)));
    if (!withBody) { // CSDS has no such field
      resource
          .connectivityError()
          .ifPresent(error -> json.addProperty("connectivityError", error.toString()));
    }
    return json;
  }

  private static JsonObject summary(XdsStatusView.Resource resource, boolean withHistory) {
    JsonObject json = resource(resource, false);
    if (withHistory) {
      json.add("changes", Json.tree(resource.changes().stream().map(XdsViews::change).toList()));
    }
    return json;
  }

  private static JsonObject change(XdsStatusView.Change change) {
    JsonObject json =
        Json.object(
            "at", change.at(),
            "clientStatus", change.state().toUpperCase(Locale.ROOT),
            "versionInfo", change.version());
    if (!change.details().isEmpty()) {
      json.addProperty("details", change.details());
    }
    return json;
  }

  private static JsonObject error(DataError error, boolean withBody) {
    var json = new JsonObject();
    if (withBody) {
      error.refused().ifPresent(raw -> json.add("failedConfiguration", body(raw)));
    }
    json.addProperty("lastUpdateAttempt", error.at().toString());
    json.addProperty("details", error.status().message());
    json.addProperty("versionInfo", error.version());
    return json;
  }

  private static JsonElement body(RawResource raw) {
    return Json.parsed(ResourceJson.print(raw));
  }
}
