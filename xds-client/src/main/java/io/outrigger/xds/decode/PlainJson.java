package io.outrigger.xds.decode;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns resources whose JSON is plain into their wire form, by the table of {@link JsonFields}.
 *
 * <p>Protobuf's own reader needs descriptors, and to make those of the xDS types, with all that
 * their files import, takes more time and memory than the rest of a start. So this reads what
 * configurations are made of, and gives up at anything else: an unknown field, a number in an
 * unusual form, a rare type. Then protobuf's reader decides. What this does read, that one reads
 * the same. Confined to the call that reads a document.
 */
final class PlainJson {
  private static final String URL_PREFIX = "type.googleapis.com/";
  private static final String TYPE = "@type";
  private static final int DEEPEST = 64; // protobuf's reader refuses at 100
  private static final long MAX_UINT32 = 0xFFFF_FFFFL;
  private static final int MOST_DIGITS = 15; // fit a long, and a double exactly
  private static final int SECONDS_DIGITS = 9; // protobuf's limit is higher
  private static final int NANOS_DIGITS = 9;

  /** What a message consists of. */
  private interface Content {
    void writeTo(CodedOutputStream out) throws IOException, NotPlain;
  }

  /** The JSON is not plain; it may be right all the same. */
  private static final class NotPlain extends Exception {
    NotPlain() {
      super("", null, false, false);
    }
  }

  private final Map<String, Map<String, JsonField>> messages = new HashMap<>();

  /** The message that an object with {@code "@type"} says; empty when it is not plain. */
  Optional<Any> read(JsonObject tree) {
    try {
      String type = heldType(tree);
      ByteString value = message(type, tree, 0);
      return Optional.of(Any.newBuilder().setTypeUrl(URL_PREFIX + type).setValue(value).build());
    } catch (NotPlain e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new AssertionError("written to memory", e);
    }
  }

  /** The type in {@code "@type"}, which must be one that may stand in an {@code Any}. */
  private static String heldType(JsonObject tree) throws NotPlain {
    String url = text(tree.get(TYPE));
    require(url.startsWith(URL_PREFIX));
    String type = url.substring(URL_PREFIX.length());
    require(JsonFields.of(type).startsWith(JsonFields.HELD));
    return type;
  }

  private ByteString message(String type, JsonObject tree, int depth) throws IOException, NotPlain {
    require(depth < DEEPEST);
    Map<String, JsonField> fields = fieldsOf(type);
    return bytes(
        out -> {
          Set<Integer> given = new HashSet<>();
          for (Map.Entry<String, JsonElement> entry : tree.entrySet()) {
            if (entry.getKey().equals(TYPE)) {
              continue; // of an Any; there is no such field
            }
            JsonField field = fields.get(entry.getKey());
            if (field == null) {
              throw new NotPlain();
            }
            if (entry.getValue().isJsonNull()) {
              require(!field.type().equals("google.protobuf.Value"));
              continue; // as if it were not there
            }
            require(given.add(field.slot()));
            field(field, entry.getValue(), out, depth);
          }
        });
  }

  private Map<String, JsonField> fieldsOf(String type) throws NotPlain {
    Map<String, JsonField> known = messages.get(type);
    if (known == null) {
      String text = JsonFields.of(type);
      require(!text.isEmpty());
      known = JsonField.parse(text);
      messages.put(type, known);
    }
    return known;
  }

  private void field(JsonField field, JsonElement tree, CodedOutputStream out, int depth)
      throws IOException, NotPlain {
    switch (field.shape()) {
      case SINGLE -> value(field.number(), field, tree, out, depth);
      case LIST -> {
        for (JsonElement element : array(tree)) {
          value(field.number(), field, element, out, depth);
        }
      }
      case MAP -> {
        for (Map.Entry<String, JsonElement> entry : object(tree).entrySet()) {
          Content pair =
              in -> {
                in.writeString(1, entry.getKey());
                value(2, field, entry.getValue(), in, depth);
              };
          out.writeBytes(field.number(), bytes(pair));
        }
      }
    }
  }

  private void value(
      int number, JsonField field, JsonElement tree, CodedOutputStream out, int depth)
      throws IOException, NotPlain {
    switch (field.kind()) {
      case 'm' -> out.writeBytes(number, embedded(field.type(), tree, depth + 1));
      case 'e' -> out.writeEnum(number, enumNumber(field.type(), text(tree)));
      default -> scalar(number, field.kind(), tree, out);
    }
  }

  private static void scalar(int number, char kind, JsonElement tree, CodedOutputStream out)
      throws IOException, NotPlain {
    switch (kind) {
      case 's' -> out.writeString(number, text(tree));
      case 'y' -> out.writeBytes(number, base64(text(tree)));
      case 'b' -> out.writeBool(number, bool(tree));
      case 'i' -> out.writeInt32(number, (int) integer(tree, Integer.MIN_VALUE, Integer.MAX_VALUE));
      case 'u' -> out.writeUInt32(number, (int) integer(tree, 0, MAX_UINT32));
      case 'I' -> out.writeInt64(number, integer(tree, Long.MIN_VALUE, Long.MAX_VALUE));
      case 'U' -> out.writeUInt64(number, integer(tree, 0, Long.MAX_VALUE));
      case 'f' -> out.writeFloat(number, (float) decimal(tree));
      case 'd' -> out.writeDouble(number, decimal(tree));
      default -> throw new AssertionError(kind);
    }
  }

  /** The bytes of a message in a field; some types have a JSON form of their own. */
  private ByteString embedded(String type, JsonElement tree, int depth)
      throws IOException, NotPlain {
    return switch (type) {
      case "google.protobuf.Any" -> any(object(tree), depth);
      case "google.protobuf.Struct" -> struct(object(tree), depth);
      case "google.protobuf.Duration" -> duration(text(tree));
      case "google.protobuf.BoolValue" -> bytes(out -> scalar(1, 'b', tree, out));
      case "google.protobuf.StringValue" -> bytes(out -> scalar(1, 's', tree, out));
      case "google.protobuf.UInt32Value" -> bytes(out -> scalar(1, 'u', tree, out));
      case "google.protobuf.UInt64Value" -> bytes(out -> scalar(1, 'U', tree, out));
      case "google.protobuf.FloatValue" -> bytes(out -> scalar(1, 'f', tree, out));
      case "google.protobuf.DoubleValue" -> bytes(out -> scalar(1, 'd', tree, out));
      default -> message(type, object(tree), depth);
    };
  }

  private ByteString any(JsonObject tree, int depth) throws IOException, NotPlain {
    if (tree.isEmpty()) {
      return ByteString.EMPTY;
    }
    String type = heldType(tree);
    ByteString value = message(type, tree, depth);
    return bytes(
        out -> {
          out.writeString(Any.TYPE_URL_FIELD_NUMBER, URL_PREFIX + type);
          out.writeBytes(Any.VALUE_FIELD_NUMBER, value);
        });
  }

  /** Lists within are rare, and are not read here. */
  private static ByteString struct(JsonObject tree, int depth) throws IOException, NotPlain {
    require(depth < DEEPEST);
    return bytes(
        out -> {
          for (Map.Entry<String, JsonElement> entry : tree.entrySet()) {
            Content pair =
                in -> {
                  in.writeString(1, entry.getKey());
                  in.writeBytes(2, structValue(entry.getValue(), depth));
                };
            out.writeBytes(Struct.FIELDS_FIELD_NUMBER, bytes(pair));
          }
        });
  }

  private static ByteString structValue(JsonElement tree, int depth) throws IOException, NotPlain {
    if (tree instanceof JsonObject object) {
      ByteString struct = struct(object, depth + 1);
      return bytes(out -> out.writeBytes(Value.STRUCT_VALUE_FIELD_NUMBER, struct));
    }
    if (!(tree instanceof JsonPrimitive primitive)) {
      throw new NotPlain();
    }
    if (primitive.isString()) {
      return bytes(out -> scalar(Value.STRING_VALUE_FIELD_NUMBER, 's', tree, out));
    }
    return primitive.isBoolean()
        ? bytes(out -> scalar(Value.BOOL_VALUE_FIELD_NUMBER, 'b', tree, out))
        : bytes(out -> scalar(Value.NUMBER_VALUE_FIELD_NUMBER, 'd', tree, out));
  }

  private static ByteString duration(String text) throws IOException, NotPlain {
    require(text.endsWith("s"));
    int end = text.length() - 1;
    int point = text.indexOf('.');
    String seconds = text.substring(0, point < 0 ? end : point);
    String fraction = point < 0 ? "0" : text.substring(point + 1, end);
    require(areDigits(seconds, SECONDS_DIGITS) && areDigits(fraction, NANOS_DIGITS));
    String nanos = fraction + "0".repeat(NANOS_DIGITS - fraction.length());
    return bytes(
        out -> {
          out.writeInt64(1, Long.parseLong(seconds));
          out.writeInt32(2, Integer.parseInt(nanos));
        });
  }

  private static int enumNumber(String type, String name) throws NotPlain {
    String values = JsonFields.of(type);
    int found = values.indexOf(' ' + name + ':');
    require(found >= 0 && name.indexOf(' ') < 0 && name.indexOf(':') < 0);
    int start = found + name.length() + 2;
    return Integer.parseInt(values.substring(start, values.indexOf(' ', start)));
  }

  private static JsonObject object(JsonElement tree) throws NotPlain {
    if (tree instanceof JsonObject object) {
      return object;
    }
    throw new NotPlain();
  }

  private static JsonArray array(JsonElement tree) throws NotPlain {
    if (tree instanceof JsonArray array) {
      return array;
    }
    throw new NotPlain();
  }

  private static String text(@Nullable JsonElement tree) throws NotPlain {
    if (tree instanceof JsonPrimitive primitive && primitive.isString()) {
      return primitive.getAsString();
    }
    throw new NotPlain();
  }

  private static boolean bool(JsonElement tree) throws NotPlain {
    if (tree instanceof JsonPrimitive primitive && primitive.isBoolean()) {
      return primitive.getAsBoolean();
    }
    throw new NotPlain();
  }

  /** A number, or a text as 64-bit numbers are in JSON. */
  private static long integer(JsonElement tree, long least, long most) throws NotPlain {
    if (!(tree instanceof JsonPrimitive primitive) || primitive.isBoolean()) {
      throw new NotPlain();
    }
    String text = primitive.getAsString();
    require(areDigits(text.startsWith("-") ? text.substring(1) : text, MOST_DIGITS));
    long number = Long.parseLong(text);
    require(number >= least && number <= most);
    return number;
  }

  private static double decimal(JsonElement tree) throws NotPlain {
    if (!(tree instanceof JsonPrimitive primitive) || !primitive.isNumber()) {
      throw new NotPlain();
    }
    String text = primitive.getAsString();
    int start = text.startsWith("-") ? 1 : 0;
    int point = text.indexOf('.');
    require(areDigits(text.substring(start, point < 0 ? text.length() : point), MOST_DIGITS));
    require(point < 0 || areDigits(text.substring(point + 1), MOST_DIGITS));
    return Double.parseDouble(text);
  }

  private static ByteString base64(String text) throws NotPlain {
    try {
      return ByteString.copyFrom(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw new NotPlain();
    }
  }

  private static boolean areDigits(String text, int most) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= most;
  }

  private static void require(boolean plain) throws NotPlain {
    if (!plain) {
      throw new NotPlain();
    }
  }

  private static ByteString bytes(Content content) throws IOException, NotPlain {
    ByteString.Output bytes = ByteString.newOutput();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    content.writeTo(out);
    out.flush();
    return bytes.toByteString();
  }
}
