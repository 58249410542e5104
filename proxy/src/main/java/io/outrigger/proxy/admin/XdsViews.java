package io.outrigger.proxy.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.status.XdsStatusView;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The xDS client's state as JSON: the CSDS form for programs, a short one for the page. */
@AnyThread
public final class XdsViews {
  private static final List<String> TYPES = List.of("lds", "rds", "cds", "eds");

  private final Node node;
  private final Function<RawResource, String> toJson;

  /**
   * @param toJson a resource in proto3 JSON form; never fails on messages it does not know
   */
  public XdsViews(Node node, Function<RawResource, String> toJson) {
    this.node = node;
    this.toJson = toJson;
  }

  /**
   * A {@code ClientConfig} of CSDS in proto3 JSON (CONTRACT {@code /config_dump}).
   *
   * @param type only this type's label, such as {@code lds}; an unknown one is refused
   * @param name only this resource
   */
  public AdminReply configDump(XdsStatusView view, Optional<String> type, Optional<String> name) {
    if (type.isPresent() && !TYPES.contains(type.get())) {
      return AdminReply.text(400, "type is one of " + String.join(", ", TYPES));
    }
    var configs = new JsonArray();
    for (XdsStatusView.Resource resource : view.resources()) {
      if (type.map(resource.type()::equals).orElse(true)
          && name.map(resource.name()::equals).orElse(true)) {
        configs.add(resource(resource, true));
      }
    }
    var dump = new JsonObject();
    dump.add("node", node());
    dump.add("genericXdsConfigs", configs);
    return AdminReply.json(dump);
  }

  /** Servers with their counts, and resources without their bodies: cheap enough to poll. */
  public AdminReply summary(XdsStatusView view) {
    var servers = new JsonArray();
    for (XdsStatusView.Server server : view.servers()) {
      servers.add(server(server));
    }
    var resources = new JsonArray();
    for (XdsStatusView.Resource resource : view.resources()) {
      resources.add(resource(resource, false));
    }
    var summary = new JsonObject();
    summary.addProperty("node", node.id());
    summary.add("servers", servers);
    summary.add("resources", resources);
    return AdminReply.json(summary);
  }

  private JsonObject node() {
    var json = new JsonObject();
    json.addProperty("id", node.id());
    json.addProperty("cluster", node.cluster());
    return json;
  }

  private static JsonObject server(XdsStatusView.Server server) {
    long valid = server.updates().values().stream().mapToLong(XdsStatusView.Updates::valid).sum();
    long invalid =
        server.updates().values().stream().mapToLong(XdsStatusView.Updates::invalid).sum();
    var json = new JsonObject();
    json.addProperty("uri", server.uri());
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
    if (!withBody) { // the CSDS form has no such field
      resource
          .connectivityError()
          .ifPresent(error -> json.addProperty("connectivityError", error.toString()));
    }
    return json;
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
