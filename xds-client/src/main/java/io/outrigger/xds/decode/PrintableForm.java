package io.outrigger.xds.decode;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.outrigger.xds.RawResource;

/**
 * Converts a message of the control plane to a JSON tree, even if parts of the message cannot be
 * parsed. {@link Redaction} has replaced each such part by a Struct with its type and length; in
 * the printed tree, each of these Structs is replaced by {@code {"@type":…,"bytes":…}}. Secrets are
 * left out.
 */
final class PrintableForm {
  private static final String TYPE = "@type";

  private PrintableForm() {}

  static JsonElement of(RawResource resource) {
    try {
      String json =
          JsonFormat.printer()
              .usingTypeRegistry(KnownTypes.all())
              .preservingProtoFieldNames()
              .print(Redaction.of(resource));
      return restored(JsonParser.parseString(json));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // An illegal duration, or a NaN in a Struct, has no JSON form.
      var answer = new JsonObject();
      answer.addProperty(TYPE, resource.typeUrl());
      answer.addProperty("error", "has no JSON form: " + e.getMessage());
      return answer;
    }
  }

  /** Replaces each Struct that {@link Redaction} inserted by its type and length. */
  private static JsonElement restored(JsonElement tree) {
    if (tree instanceof JsonArray list) {
      list.asList().replaceAll(PrintableForm::restored);
      return list;
    }
    if (!(tree instanceof JsonObject object)) {
      return tree;
    }
    if (object.has(TYPE)
        && object.get("value") instanceof JsonObject value
        && value.size() == 2
        && value.has(Redaction.TYPE_MEMBER)
        && value.has(Redaction.LENGTH_MEMBER)) {
      var answer = new JsonObject();
      answer.add(TYPE, value.get(Redaction.TYPE_MEMBER));
      answer.addProperty("bytes", value.get(Redaction.LENGTH_MEMBER).getAsLong());
      return answer;
    }
    object.asMap().replaceAll((name, element) -> restored(element));
    return object;
  }
}
