package io.outrigger.xds.decode;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;

/**
 * Converts a message of the control plane to a JSON tree, even if parts of the message cannot be
 * parsed.
 *
 * <p>Protobuf's JSON printer fails on the first {@code Any} that it cannot resolve. Therefore each
 * such Any is first replaced by a Struct that holds the type and the length under the key {@link
 * #MARK}. In the printed tree, each of these Structs is then replaced by {@code
 * {"@type":…,"bytes":…}}. Secrets are left out; the bytes of an unresolved Any are not printed
 * because they might contain secrets.
 */
final class PrintableForm {
  private static final String MARK = "outrigger:not readable";
  private static final Redaction MARKING_UNREADABLE = new Redaction(PrintableForm::marked);

  private PrintableForm() {}

  static JsonElement of(String typeUrl, byte[] bytes) {
    Any any = MARKING_UNREADABLE.apply(typeUrl, ByteString.copyFrom(bytes), 0);
    try {
      String json =
          JsonFormat.printer()
              .usingTypeRegistry(KnownTypes.all())
              .preservingProtoFieldNames()
              .print(any);
      return restored(JsonParser.parseString(json));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // An illegal duration, or a NaN in a Struct, has no JSON form.
      var answer = new JsonObject();
      answer.addProperty("@type", typeUrl);
      answer.addProperty("error", "has no JSON form: " + e.getMessage());
      return answer;
    }
  }

  private static Any marked(String typeUrl, ByteString value) {
    var pair =
        ListValue.newBuilder()
            .addValues(Value.newBuilder().setStringValue(typeUrl))
            .addValues(Value.newBuilder().setNumberValue(value.size()));
    return Redaction.struct(
        Struct.newBuilder().putFields(MARK, Value.newBuilder().setListValue(pair).build()).build());
  }

  /** Replaces the marked Structs of a printed tree by objects with type and length. */
  private static JsonElement restored(JsonElement tree) {
    if (tree instanceof JsonArray list) {
      list.asList().replaceAll(PrintableForm::restored);
      return list;
    }
    if (!(tree instanceof JsonObject object)) {
      return tree;
    }
    if (object.get("value") instanceof JsonObject value
        && value.get(MARK) instanceof JsonArray pair
        && pair.size() == 2) {
      var answer = new JsonObject();
      answer.add("@type", pair.get(0));
      answer.addProperty("bytes", pair.get(1).getAsLong());
      return answer;
    }
    object.asMap().replaceAll((name, element) -> restored(element));
    return object;
  }
}
