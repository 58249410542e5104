package io.outrigger.config.bootstrap;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import io.outrigger.config.endpoint.Locality;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads the bootstrap's {@code node}. The node or any of its fields may be absent. */
final class NodeReader {
  private NodeReader() {}

  static Node read(Optional<JsonNode> node) {
    Optional<JsonNode> object = node.filter(JsonNode::isObject);
    return new Node(
        text(object, "id"),
        text(object, "cluster"),
        locality(object.flatMap(n -> n.member("locality")).filter(JsonNode::isObject)),
        metadata(object));
  }

  private static Locality locality(Optional<JsonNode> locality) {
    return new Locality(
        text(locality, "region"), text(locality, "zone"), text(locality, "sub_zone"));
  }

  private static String text(Optional<JsonNode> object, String name) {
    return object.flatMap(n -> n.text(name)).orElse("");
  }

  private static Map<String, Object> metadata(Optional<JsonNode> object) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    object
        .map(n -> n.members("metadata"))
        .orElse(Map.of())
        .forEach((name, node) -> plain(node.value()).ifPresent(v -> metadata.put(name, v)));
    return metadata;
  }

  private static Optional<Object> plain(JsonElement element) {
    if (element.isJsonObject()) {
      Map<String, Object> map = new LinkedHashMap<>();
      element.getAsJsonObject().asMap().forEach((k, v) -> plain(v).ifPresent(p -> map.put(k, p)));
      return Optional.of(Collections.unmodifiableMap(map));
    }
    if (element.isJsonArray()) {
      return Optional.of(
          element.getAsJsonArray().asList().stream().flatMap(v -> plain(v).stream()).toList());
    }
    if (element instanceof JsonPrimitive primitive) {
      return Optional.of(scalar(primitive));
    }
    return Optional.empty();
  }

  private static Object scalar(JsonPrimitive primitive) {
    if (primitive.isString()) {
      return primitive.getAsString();
    }
    if (primitive.isBoolean()) {
      return primitive.getAsBoolean();
    }
    return primitive.getAsDouble();
  }
}
