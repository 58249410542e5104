package io.outrigger.xds.decode;

import com.google.gson.stream.JsonWriter;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The message {@code Struct}, read without protobuf's maps; see {@link WireFields}.
 *
 * @param fields the fields as Java values; a value is a WireStruct, List, String, Double, Boolean,
 *     or {@link Other}
 */
record WireStruct(Map<String, Object> fields) {
  /** The maximum depth of nested messages; protobuf has the same limit. */
  private static final int MAX_DEPTH = 100;

  /** A value that has no Java type. */
  enum Other {
    NULL,
    /** A {@code Value} without a kind, which has no JSON form. */
    NONE
  }

  /** Parses a serialized {@code Struct}. */
  static WireStruct parse(ByteString bytes) throws InvalidProtocolBufferException {
    return parse(bytes, 0);
  }

  private static WireStruct parse(ByteString bytes, int depth)
      throws InvalidProtocolBufferException {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (var entry : WireFields.entries(bytes, Struct.FIELDS_FIELD_NUMBER).entrySet()) {
      fields.put(entry.getKey(), value(entry.getValue(), depth + 2));
    }
    return new WireStruct(fields);
  }

  /** Parses a {@code Value}. If the message has several kinds, the last one is used. */
  private static Object value(ByteString bytes, int depth) throws InvalidProtocolBufferException {
    if (depth > MAX_DEPTH) {
      throw new InvalidProtocolBufferException("a Struct is too deep");
    }
    Object value = Other.NONE;
    try {
      CodedInputStream in = bytes.newCodedInput();
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        @Nullable Object read = value(in, tag, depth);
        if (read == null) {
          in.skipField(tag);
        } else {
          value = read;
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException e) {
      throw new InvalidProtocolBufferException(e);
    }
    return value;
  }

  /** Reads the value of the field with {@code tag}; null if the field is unknown. */
  private static @Nullable Object value(CodedInputStream in, int tag, int depth)
      throws IOException {
    boolean isText = tag == WireFields.tagOf(Value.STRING_VALUE_FIELD_NUMBER);
    if (isText) {
      return in.readStringRequireUtf8();
    } else if (tag == tag(Value.NUMBER_VALUE_FIELD_NUMBER, WireFormat.WIRETYPE_FIXED64)) {
      return in.readDouble();
    } else if (tag == tag(Value.BOOL_VALUE_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
      return in.readBool();
    } else if (tag == tag(Value.NULL_VALUE_FIELD_NUMBER, WireFormat.WIRETYPE_VARINT)) {
      in.readEnum();
      return Other.NULL;
    } else if (tag == WireFields.tagOf(Value.STRUCT_VALUE_FIELD_NUMBER)) {
      return parse(in.readBytes(), depth + 1);
    } else if (tag == WireFields.tagOf(Value.LIST_VALUE_FIELD_NUMBER)) {
      return list(in.readBytes(), depth + 1);
    }
    return null;
  }

  private static int tag(int number, int wireType) {
    return number << 3 | wireType;
  }

  private static List<Object> list(ByteString bytes, int depth) throws IOException {
    List<Object> values = new ArrayList<>();
    CodedInputStream in = bytes.newCodedInput();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == WireFields.tagOf(ListValue.VALUES_FIELD_NUMBER)) {
        values.add(value(in.readBytes(), depth + 1));
      } else {
        in.skipField(tag);
      }
    }
    return values;
  }

  /** Returns the string in field {@code key}; empty if the field is missing or has another type. */
  String text(String key) {
    return fields.get(key) instanceof String text ? text : "";
  }

  /** Returns the JSON form that protobuf would print; empty if a value has no JSON form. */
  String json() {
    var text = new StringWriter();
    try (var out = new JsonWriter(text)) {
      out.setHtmlSafe(true);
      write(this, out);
    } catch (IOException | IllegalArgumentException noJson) {
      return ""; // an infinite number, or a value without a kind
    }
    return text.toString();
  }

  private static void write(Object value, JsonWriter out) throws IOException {
    if (value instanceof WireStruct struct) {
      out.beginObject();
      for (var field : struct.fields.entrySet()) {
        out.name(field.getKey());
        write(field.getValue(), out);
      }
      out.endObject();
    } else if (value instanceof List<?> items) {
      out.beginArray();
      for (Object item : items) {
        write(item, out);
      }
      out.endArray();
    } else if (value instanceof String text) {
      out.value(text);
    } else if (value instanceof Double number) {
      out.value(number.doubleValue());
    } else if (value instanceof Boolean flag) {
      out.value(flag.booleanValue());
    } else if (value == Other.NULL) {
      out.nullValue();
    } else {
      throw new IllegalArgumentException("no JSON form: " + value);
    }
  }
}
