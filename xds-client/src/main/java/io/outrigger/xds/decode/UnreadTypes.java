package io.outrigger.xds.decode;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Set;

/**
 * Wraps each message of an unknown type in a TypedStruct (A39), which decoders also accept. A JSON
 * document, like a response of a control plane, may contain messages that Outrigger does not use.
 */
final class UnreadTypes {
  private static final String TYPE = "@type";
  private static final String TYPED_STRUCT = "type.googleapis.com/xds.type.v3.TypedStruct";

  /** Fields whose values may be any JSON: {@code "@type"} is plain data there, no message type. */
  private static final Set<String> FREE_FIELDS = Set.of("filter_metadata", "filterMetadata");

  private UnreadTypes() {}

  static JsonObject wrapped(JsonObject resource) {
    var copy = new JsonObject();
    resource
        .asMap()
        .forEach(
            (name, value) -> copy.add(name, FREE_FIELDS.contains(name) ? value : wrappedIn(value)));
    return copy;
  }

  private static JsonElement wrappedIn(JsonElement value) {
    if (value instanceof JsonArray list) {
      var copy = new JsonArray(list.size());
      list.forEach(item -> copy.add(wrappedIn(item)));
      return copy;
    }
    if (!(value instanceof JsonObject object)) {
      return value;
    }
    JsonElement type = object.get(TYPE);
    if (type == null || !type.isJsonPrimitive()) {
      return wrapped(object);
    }
    String url = type.getAsString();
    if (TypedConfig.typeName(url).endsWith(".TypedStruct")) {
      return object; // the content of a TypedStruct is plain data
    }
    boolean isRead = url.indexOf('/') < 0 || KnownTypes.find(url).isPresent();
    return isRead ? wrapped(object) : struct(url, object);
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
