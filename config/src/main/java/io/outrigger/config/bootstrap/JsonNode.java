package io.outrigger.config.bootstrap;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.DidYouMean;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A JSON value with its path. A value of a wrong type is recorded as an error and treated as
 * absent, so that the reader finds further errors. A JSON null counts as absent.
 */
public record JsonNode(JsonElement value, String path, Findings findings) {
  private static final String PARSER_ADVICE =
      "Use JsonReader.setStrictness(Strictness.LENIENT) to accept malformed JSON";
  private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** Collects the errors and warnings of one document. */
  public record Findings(List<Finding> errors, List<Finding> warnings) {
    public Findings() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    void warn(String path, String message) {
      warnings.add(new Finding(path, message));
    }
  }

  public Optional<JsonNode> member(String name) {
    return asObject().map(o -> o.get(name)).filter(v -> !v.isJsonNull()).map(v -> child(name, v));
  }

  /**
   * Returns the member with the given name if it is an object, otherwise an empty object. A member
   * of another type is recorded as one error; reads of its fields record no further errors.
   */
  JsonNode object(String name) {
    Optional<JsonNode> found = member(name);
    return found
        .filter(JsonNode::isObject)
        .orElseGet(
            () ->
                new JsonNode(
                    new JsonObject(), pathOf(name), found.isEmpty() ? findings : new Findings()));
  }

  public Optional<String> requiredText(String name) {
    Optional<JsonNode> found = member(name);
    if (found.isEmpty() && value.isJsonObject()) {
      error(name, "is missing; a string is required" + misspelt(name));
    }
    return found.flatMap(JsonNode::text);
  }

  /**
   * Returns a suggestion for the end of an error message if the object has a member with a similar
   * name; otherwise an empty text.
   */
  String misspelt(String name) {
    return asObject()
        .flatMap(object -> DidYouMean.nearest(name, object.keySet()))
        .filter(found -> !found.equals(name)) // a field with the value null is spelt correctly
        .map(found -> "; \"%s\" is not read, write it as \"%s\"".formatted(found, name))
        .orElse("");
  }

  Optional<String> text(String name) {
    return member(name).flatMap(JsonNode::text);
  }

  boolean flag(String name) {
    return member(name).flatMap(JsonNode::flag).orElse(false);
  }

  private Optional<Boolean> flag() {
    if (value instanceof JsonPrimitive primitive && primitive.isBoolean()) {
      return Optional.of(primitive.getAsBoolean());
    }
    return wrongType("a boolean");
  }

  public Optional<String> text() {
    if (value instanceof JsonPrimitive primitive && primitive.isString()) {
      return Optional.of(primitive.getAsString());
    }
    return wrongType("a string");
  }

  public List<JsonNode> elements(String name) {
    return member(name).map(JsonNode::elements).orElse(List.of());
  }

  List<JsonNode> elements() {
    if (!value.isJsonArray()) {
      wrongType("an array");
      return List.of();
    }
    List<JsonNode> elements = new ArrayList<>();
    for (JsonElement element : value.getAsJsonArray()) {
      elements.add(new JsonNode(element, path + "[" + elements.size() + "]", findings));
    }
    return elements;
  }

  public Map<String, JsonNode> members(String name) {
    JsonNode object = object(name);
    Map<String, JsonNode> members = new LinkedHashMap<>();
    object.value.getAsJsonObject().asMap().forEach((k, v) -> members.put(k, object.child(k, v)));
    return members;
  }

  /** Whether this value is an object; records an error if not. */
  public boolean isObject() {
    return asObject().isPresent();
  }

  public void error(String message) {
    findings.errors.add(new Finding(path, message));
  }

  public void error(String name, String message) {
    findings.errors.add(new Finding(pathOf(name), message));
  }

  String pathOf(String name) {
    return PLAIN_NAME.matcher(name).matches()
        ? path + "." + name
        : path + "[" + new JsonPrimitive(name) + "]";
  }

  private JsonNode child(String name, JsonElement element) {
    return new JsonNode(element, pathOf(name), findings);
  }

  private Optional<JsonObject> asObject() {
    return value.isJsonObject() ? Optional.of(value.getAsJsonObject()) : wrongType("an object");
  }

  private <T> Optional<T> wrongType(String expected) {
    error("is " + typeName() + "; " + expected + " is required");
    return Optional.empty();
  }

  /** Describes a syntax error in one line, without Gson's advice to programmers. */
  public static String syntaxError(Exception failure) {
    Throwable cause = failure.getCause() instanceof IOException io ? io : failure;
    String message = String.valueOf(cause.getMessage());
    String line = message.lines().findFirst().orElse(message);
    int path = line.indexOf(" path $");
    return (path < 0 ? line : line.substring(0, path)).replace(PARSER_ADVICE, "unexpected text");
  }

  private String typeName() {
    if (value.isJsonObject()) {
      return "an object";
    }
    if (value.isJsonArray()) {
      return "an array";
    }
    if (value instanceof JsonPrimitive primitive) {
      return primitive.isString() ? "a string" : primitive.isNumber() ? "a number" : "a boolean";
    }
    return "null";
  }
}
