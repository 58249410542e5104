package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.stream.NodeMessage;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Renders the xDS client's state as JSON: the CSDS form for programs, and a short form for the
 * page.
 */
@AnyThread
public final class XdsViews {
  private final Supplier<Node> node;
  private final String version;
  private final Function<RawResource, String> toJson;

  /**
   * @param node returns the node that identifies this process to the control plane; known only
   *     after the start
   * @param version the version of this program
   * @param toJson renders a resource as proto3 JSON; does not fail on unknown messages
   */
  public XdsViews(Supplier<Node> node, String version, Function<RawResource, String> toJson) {
    this.node = node;
    this.version = version;
    this.toJson = toJson;
  }

  /**
   * Returns a CSDS {@code ClientConfig} in proto3 JSON (CONTRACT {@code /config_dump}). For targets
   * with clients of their own (A71), the reply is a {@code ClientStatusResponse} with one {@code
   * ClientConfig} per client.
   *
   * @param type if present, the label of the only type in the reply, such as {@code lds}
   * @param name if present, the only resource in the reply
   */
  public AdminReply configDump(XdsStatusView view, Optional<String> type, Optional<String> name) {
    List<JsonObject> configs =
        view.clients().stream().map(client -> clientConfig(client, type, name)).toList();
    if (configs.size() == 1) {
      return AdminReply.json(configs.get(0));
    }
    var response = new JsonObject();
    var list = new JsonArray();
    configs.forEach(list::add);
    response.add("config", list);
    return AdminReply.json(response);
  }

  private JsonObject clientConfig(
      XdsStatusView.Client client, Optional<String> type, Optional<String> name) {
    var configs = new JsonArray();
    for (XdsStatusView.Resource resource : client.resources()) {
      if (type.map(resource.type()::equals).orElse(true)
          && name.map(resource.name()::equals).orElse(true)) {
        configs.add(resource(resource, true));
      }
    }
    var config = new JsonObject();
    config.add("node", node());
    config.add("genericXdsConfigs", configs);
    addScope(client, config);
    return config;
  }

  /**
   * Returns the servers with their counts, and the resources without their contents, so that
   * polling is cheap.
   *
   * @param name if present, the only resource in the reply, with its history
   */
  public AdminReply summary(XdsStatusView view, Optional<String> name) {
    var servers = new JsonArray();
    var authorities = new JsonArray();
    var resources = new JsonArray();
    for (XdsStatusView.Client client : view.clients()) {
      client.servers().forEach(each -> servers.add(addScope(client, server(each))));
      client.authorities().forEach(each -> authorities.add(addScope(client, authority(each))));
      client.resources().stream()
          .filter(each -> name.map(each.name()::equals).orElse(true))
          .forEach(each -> resources.add(addScope(client, summary(each, name.isPresent()))));
    }
    var summary = new JsonObject();
    summary.addProperty("node", node.get().id());
    summary.add("servers", servers);
    summary.add("authorities", authorities);
    summary.add("resources", resources);
    return AdminReply.json(summary);
  }

  /** Adds CSDS's name for the client's target (A71), unless the client serves all targets. */
  private static JsonObject addScope(XdsStatusView.Client client, JsonObject to) {
    if (!client.scope().isEmpty()) {
      to.addProperty("clientScope", client.scope());
    }
    return to;
  }

  private static JsonObject authority(XdsStatusView.Authority authority) {
    var servers = new JsonArray();
    authority.servers().forEach(servers::add);
    var json = new JsonObject();
    json.addProperty("name", authority.name());
    json.add("servers", servers);
    json.addProperty("serversInUse", authority.inUse());
    json.addProperty("fallenBack", authority.isFallenBack());
    return json;
  }

  /** Returns the node as the control plane receives it (A40 "Generated Node Information"). */
  private JsonElement node() {
    try {
      return JsonParser.parseString(
          JsonFormat.printer().print(NodeMessage.shown(node.get(), version)));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("metadata read from JSON has a JSON form", e);
    }
  }

  private static JsonObject server(XdsStatusView.Server server) {
    long valid = server.updates().values().stream().mapToLong(XdsStatusView.Updates::valid).sum();
    long invalid =
        server.updates().values().stream().mapToLong(XdsStatusView.Updates::invalid).sum();
    var json = new JsonObject();
    json.addProperty("uri", server.uri());
    json.addProperty("use", server.use().name().toLowerCase(Locale.ROOT));
    json.addProperty("connected", server.attached() && server.connected());
    json.addProperty("streams", server.streams());
    json.addProperty("failures", server.failures());
    json.addProperty("nacks", server.nacks());
    json.addProperty("valid", valid);
    json.addProperty("invalid", invalid);
    server
        .lastError()
        .ifPresent(
            error -> {
              json.addProperty("lastError", error.status().toString());
              json.addProperty("lastErrorAt", time(error.at()));
            });
    return json;
  }

  private JsonObject resource(XdsStatusView.Resource resource, boolean withBody) {
    var json = new JsonObject();
    json.addProperty("typeUrl", resource.typeUrl());
    json.addProperty("name", resource.name());
    if (!resource.version().isEmpty()) {
      json.addProperty("versionInfo", resource.version());
    }
    if (withBody) {
      resource.raw().ifPresent(raw -> json.add("xdsConfig", body(raw)));
    }
    resource.lastUpdated().ifPresent(at -> json.addProperty("lastUpdated", time(at)));
    json.addProperty("clientStatus", resource.state().toUpperCase(Locale.ROOT));
    resource.error().ifPresent(error -> json.add("errorState", error(error, withBody)));
    if (!withBody) { // CSDS has no such field
      resource
          .connectivityError()
          .ifPresent(error -> json.addProperty("connectivityError", error.toString()));
    }
    return json;
  }

  private JsonObject summary(XdsStatusView.Resource resource, boolean withHistory) {
    JsonObject json = resource(resource, false);
    XdsStatusView.History history = resource.history();
    if (history.nacks() > 0) {
      var nacks = new JsonObject();
      nacks.addProperty("count", history.nacks());
      history.firstNack().ifPresent(at -> nacks.addProperty("first", time(at)));
      history.lastNack().ifPresent(at -> nacks.addProperty("last", time(at)));
      json.add("nacks", nacks);
    }
    if (withHistory) {
      json.add("changes", changes(history));
    }
    return json;
  }

  /** Returns the changes, each with its differences from the accepted version before it. */
  private JsonArray changes(XdsStatusView.History history) {
    var changes = new JsonArray();
    Optional<JsonElement> accepted = Optional.empty();
    for (XdsStatusView.Change change : history.changes()) {
      var json = new JsonObject();
      json.addProperty("at", time(change.at()));
      json.addProperty("clientStatus", change.state().toUpperCase(Locale.ROOT));
      json.addProperty("versionInfo", change.version());
      if (!change.details().isEmpty()) {
        json.addProperty("details", change.details());
      }
      Optional<JsonElement> body = change.body().map(this::body);
      if (accepted.isPresent() && body.isPresent()) {
        var difference = new JsonArray();
        JsonDifference.of(accepted.get(), body.get()).forEach(difference::add);
        json.add("difference", difference);
      }
      if (change.details().isEmpty()) {
        accepted = body;
      }
      changes.add(json);
    }
    return changes;
  }

  private JsonObject error(XdsStatusView.ResourceError error, boolean withBody) {
    var json = new JsonObject();
    if (withBody) {
      error.refused().ifPresent(raw -> json.add("failedConfiguration", body(raw)));
    }
    json.addProperty("lastUpdateAttempt", time(error.at()));
    json.addProperty("details", error.details().message());
    json.addProperty("versionInfo", error.version());
    return json;
  }

  private JsonElement body(RawResource raw) {
    return JsonParser.parseString(toJson.apply(raw));
  }

  private static String time(Instant at) {
    return at.toString();
  }
}
