package io.outrigger.xds.decode;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Set;

/**
 * Wraps those messages in JSON documents whose types have no descriptor in Outrigger. A control
 * plane sends a message of an unknown type as bytes, and a client that does not use the message
 * ignores the bytes. To apply the same rules to files, each message of an unknown type is wrapped
 * in a TypedStruct of its type (A39), which decoders treat like the type itself.
 */
final class UnreadTypes {
  private static final String TYPE = "@type";
  private static final String TYPED_STRUCT = "type.googleapis.com/xds.type.v3.TypedStruct";

  /**
   * Fields that may contain any JSON. A member {@code "@type"} inside such a field is plain data.
   */
  private static final Set<String> FREE_FIELDS = Set.of("filter_metadata", "filterMetadata");

  private UnreadTypes() {}

  /**
   * Returns a copy of {@code resource} in which inner messages of unknown types are wrapped. The
   * resource itself is not wrapped.
   */
  static JsonObject carried(JsonObject resource) {
    var copy = new JsonObject();
    resource
        .asMap()
        .forEach(
            (name, value) -> copy.add(name, FREE_FIELDS.contains(name) ? value : inside(value)));
    return copy;
  }

  private static JsonElement inside(JsonElement value) {
    if (value instanceof JsonArray list) {
      var copy = new JsonArray(list.size());
      list.forEach(item -> copy.add(inside(item)));
      return copy;
    }
    if (!(value instanceof JsonObject object)) {
      return value;
    }
    JsonElement type = object.get(TYPE);
    if (type == null || !type.isJsonPrimitive()) {
      return carried(object);
    }
    String url = type.getAsString();
    if (TypedConfig.typeName(url).endsWith(".TypedStruct")) {
      return object; // the content of a TypedStruct is plain data
    }
    boolean isRead = url.indexOf('/') < 0 || KnownTypes.find(url).isPresent();
    return isRead ? carried(object) : struct(url, object);
  }

  private static JsonObject struct(String url, JsonObject message) {
    JsonObject fields = message.deepCopy();
    fields.remove(TYPE);
    var struct = new JsonObject();
    struct.addProperty(TYPE, TYPED_STRUCT);
    struct.addProperty("type_url", url);
    struct.add("value", fields);
    return struct;
  }
}
