package io.outrigger.program.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.outrigger.config.endpoint.Locality;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A JSON object in a reply of a sidecar. The sidecar may be older or newer than this program, so an
 * absent member reads as an empty value.
 */
record JsonView(JsonObject json) {
  static final JsonView EMPTY = new JsonView(new JsonObject());

  /**
   * Parses a JSON list, and returns its objects.
   *
   * @throws JsonParseException when the text is not a list of objects
   */
  static List<JsonView> listOf(String text) {
    if (JsonParser.parseString(text) instanceof JsonArray array
        && array.asList().stream().allMatch(JsonObject.class::isInstance)) {
      return objects(array);
    }
    throw new JsonParseException("not a list of objects");
  }

  private static List<JsonView> objects(JsonArray array) {
    return array.asList().stream()
        .filter(JsonObject.class::isInstance)
        .map(each -> new JsonView((JsonObject) each))
        .toList();
  }

  /** Returns a primitive as text, a list or object as JSON, and "" for an absent or null member. */
  String text(String name) {
    JsonElement element = json.get(name);
    if (element == null || element.isJsonNull()) {
      return "";
    }
    return element instanceof JsonPrimitive ? element.getAsString() : element.toString();
  }

  String name() {
    return text("name");
  }

  /** Returns the name of a load-balancing node or of a locality; "-" for an empty locality. */
  String shownName(String name) {
    String shown = Locality.shown(text(name));
    return shown.isEmpty() ? "-" : shown;
  }

  String millis(String name) {
    return text(name).replaceFirst("(\\.\\d{3})\\d+Z$", "$1Z");
  }

  String[] texts(String... names) {
    return Arrays.stream(names).map(this::text).toArray(String[]::new);
  }

  String format(String form, String... names) {
    return form.formatted((Object[]) texts(names));
  }

  double number(String name) {
    return json.get(name) instanceof JsonPrimitive value && value.isNumber()
        ? value.getAsDouble()
        : 0;
  }

  Optional<JsonView> object(String name) {
    return json.get(name) instanceof JsonObject object
        ? Optional.of(new JsonView(object))
        : Optional.empty();
  }

  /**
   * Returns the objects of a list. A single object counts as a list of one; any other value counts
   * as an empty list.
   */
  List<JsonView> list(String name) {
    return json.get(name) instanceof JsonArray array
        ? objects(array)
        : object(name).stream().toList();
  }
}
