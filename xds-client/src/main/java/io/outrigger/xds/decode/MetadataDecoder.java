package io.outrigger.xds.decode;

import com.google.gson.stream.JsonWriter;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import java.io.IOException;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts the {@code Metadata} of a route to JSON for the explain page of the admin server. */
final class MetadataDecoder {
  private static final int MAX_LENGTH = 1024;

  private MetadataDecoder() {}

  /**
   * Returns the metadata of each filter as JSON, by the name of the filter. Metadata that is longer
   * than {@link #MAX_LENGTH} or has no JSON form is left out.
   */
  static Map<String, String> decode(WireMetadata metadata) {
    Map<String, String> texts = new LinkedHashMap<>();
    metadata
        .filters()
        .forEach(
            (filter, struct) -> {
              String text = json(struct);
              if (!text.isEmpty() && text.length() <= MAX_LENGTH) {
                texts.put(filter, text);
              }
            });
    return texts;
  }

  /**
   * Returns the JSON form that protobuf would print, without loading protobuf's printer at the
   * start; empty if a value has no JSON form.
   */
  static String json(Struct struct) {
    var text = new StringWriter();
    try (var out = new JsonWriter(text)) {
      out.setHtmlSafe(true);
      write(struct, out);
    } catch (IOException | IllegalArgumentException noJson) {
      return ""; // an infinite number, or a value without a kind
    }
    return text.toString();
  }

  private static void write(Struct struct, JsonWriter out) throws IOException {
    out.beginObject();
    for (Map.Entry<String, Value> field : struct.getFieldsMap().entrySet()) {
      out.name(field.getKey());
      write(field.getValue(), out);
    }
    out.endObject();
  }

  private static void write(Value value, JsonWriter out) throws IOException {
    switch (value.getKindCase()) {
      case STRUCT_VALUE -> write(value.getStructValue(), out);
      case LIST_VALUE -> {
        out.beginArray();
        for (Value item : value.getListValue().getValuesList()) {
          write(item, out);
        }
        out.endArray();
      }
      case STRING_VALUE -> out.value(value.getStringValue());
      case NUMBER_VALUE -> out.value(value.getNumberValue());
      case BOOL_VALUE -> out.value(value.getBoolValue());
      case NULL_VALUE -> out.nullValue();
      case KIND_NOT_SET -> throw new IllegalArgumentException("no JSON form");
    }
  }
}
