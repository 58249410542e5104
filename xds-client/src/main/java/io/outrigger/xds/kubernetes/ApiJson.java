package io.outrigger.xds.kubernetes;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;

/** Reads fields of JSON objects. Returns an empty value or 0 if a field is missing or invalid. */
final class ApiJson {
  private ApiJson() {}

  static JsonObject object(JsonObject json, String field) {
    return json.get(field) instanceof JsonObject object ? object : new JsonObject();
  }

  static JsonArray array(JsonObject json, String field) {
    return json.get(field) instanceof JsonArray array ? array : new JsonArray();
  }

  static List<JsonObject> objects(JsonObject json, String field) {
    return array(json, field).asList().stream()
        .filter(JsonObject.class::isInstance)
        .map(JsonElement::getAsJsonObject)
        .toList();
  }

  static String text(JsonObject json, String field) {
    JsonElement value = json.get(field);
    return value == null ? "" : text(value);
  }

  static String text(JsonElement value) {
    return (value instanceof JsonPrimitive primitive && primitive.isString())
        ? primitive.getAsString()
        : "";
  }

  static int number(JsonObject json, String field) {
    try {
      return (json.get(field) instanceof JsonPrimitive value && value.isNumber())
          ? value.getAsInt()
          : 0;
    } catch (NumberFormatException outOfRange) {
      return 0;
    }
  }
}
