package io.outrigger.config.bootstrap;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import io.outrigger.config.bootstrap.Bootstrap.Authority;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.endpoint.Locality;
import java.io.IOException;
import java.io.StringReader;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the text of a gRPC xDS bootstrap (A27, A29, A36, A47, A65, A71, A95, A97). Unknown fields
 * are ignored, as in other proxyless clients. A field of a wrong type is an error. All errors of a
 * document are reported together.
 */
public final class BootstrapReader {
  private static final String TARGET_NAME = "%s"; // A47 "Bootstrap Config Changes", the default

  private BootstrapReader() {}

  public static BootstrapResult read(String json) {
    var findings = new JsonNode.Findings();
    Optional<JsonElement> document = parse(json, findings);
    if (document.isEmpty()) {
      return new BootstrapResult.Refused(findings.errors());
    }
    JsonNode root = new JsonNode(document.get(), "$", findings);
    if (!root.isObject()) {
      return new BootstrapResult.Refused(findings.errors());
    }
    Bootstrap bootstrap =
        new Bootstrap(
            requiredServers(root),
            node(root.object("node")),
            authorities(root),
            certificateProviders(root),
            root.text("client_default_listener_resource_name_template")
                .filter(template -> !template.isEmpty())
                .orElse(TARGET_NAME),
            root.text("server_listener_resource_name_template")
                .filter(template -> !template.isEmpty()));
    return findings.errors().isEmpty()
        ? new BootstrapResult.Accepted(bootstrap, findings.warnings())
        : new BootstrapResult.Refused(findings.errors());
  }

  private static List<XdsServer> requiredServers(JsonNode root) {
    Optional<JsonNode> servers = root.member("xds_servers");
    if (servers.isEmpty()) {
      root.error(
          "xds_servers",
          "is missing; at least one control plane is required" + root.misspelt("xds_servers"));
      return List.of();
    }
    List<JsonNode> elements = servers.get().elements();
    if (servers.get().value().isJsonArray() && elements.isEmpty()) {
      servers.get().error("is empty; at least one control plane is required");
    }
    return ServerReader.read(elements);
  }

  private static Map<String, Authority> authorities(JsonNode root) {
    Map<String, Authority> authorities = new LinkedHashMap<>();
    root.members("authorities")
        .forEach((name, node) -> authority(name, node).ifPresent(a -> authorities.put(name, a)));
    return authorities;
  }

  private static Optional<Authority> authority(String name, JsonNode node) {
    if (!node.isObject()) {
      return Optional.empty();
    }
    String field = "client_listener_resource_name_template";
    Optional<String> template = node.text(field);
    String prefix = "xdstp://" + name + "/";
    if (template.isPresent() && !template.get().startsWith(prefix)) {
      node.error(field, "\"" + template.get() + "\" must start with \"" + prefix + "\"");
    }
    return Optional.of(
        new Authority(
            ServerReader.read(node.elements("xds_servers")),
            template,
            node.flag("fallback_on_reachability_only")));
  }

  private static Node node(JsonNode node) {
    JsonNode at = node.object("locality");
    Map<String, Object> metadata = new LinkedHashMap<>();
    node.members("metadata")
        .forEach((name, value) -> plain(value.value()).ifPresent(v -> metadata.put(name, v)));
    return new Node(
        text(node, "id"),
        text(node, "cluster"),
        new Locality(text(at, "region"), text(at, "zone"), text(at, "sub_zone")),
        metadata);
  }

  private static String text(JsonNode object, String name) {
    return object.text(name).orElse("");
  }

  private static Optional<Object> plain(JsonElement element) {
    if (element instanceof JsonObject object) {
      Map<String, Object> map = new LinkedHashMap<>();
      object.asMap().forEach((k, v) -> plain(v).ifPresent(p -> map.put(k, p)));
      return Optional.of(Collections.unmodifiableMap(map));
    }
    if (element instanceof JsonArray array) {
      return Optional.of(array.asList().stream().flatMap(v -> plain(v).stream()).toList());
    }
    if (element instanceof JsonPrimitive primitive) {
      if (primitive.isBoolean()) {
        return Optional.of(primitive.getAsBoolean());
      }
      return Optional.of(
          primitive.isString() ? primitive.getAsString() : (Object) primitive.getAsDouble());
    }
    return Optional.empty();
  }

  private static Map<String, CertificateProvider> certificateProviders(JsonNode root) {
    Map<String, CertificateProvider> providers = new LinkedHashMap<>();
    root.members("certificate_providers")
        .forEach(
            (name, node) ->
                CertificateConfigReader.provider(node).ifPresent(p -> providers.put(name, p)));
    return providers;
  }

  /** Parses strict JSON, without comments and without text after the document. */
  private static Optional<JsonElement> parse(String json, JsonNode.Findings findings) {
    JsonReader reader = new JsonReader(new StringReader(json));
    reader.setStrictness(Strictness.STRICT);
    try {
      if (json.isBlank()) {
        findings.errors().add(new Finding("$", "is empty; a JSON object is required"));
        return Optional.empty();
      }
      JsonElement document = JsonParser.parseReader(reader);
      var unused = reader.peek(); // throws when text follows the document
      return Optional.of(document);
    } catch (JsonParseException | IOException e) {
      String path = reader.getPath().replaceFirst("\\.$", "");
      findings.errors().add(new Finding(path, "is not JSON: " + JsonNode.syntaxError(e)));
      return Optional.empty();
    }
  }
}
