package io.outrigger.xds.decode;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A message of the control plane as a JSON tree, whatever is in it.
 *
 * <p>The library that knows the JSON mapping fails on the first {@code Any} that it cannot resolve.
 * So each such Any is first replaced by one that it can print, a Struct that carries type and bytes
 * under a key of ours, and the printed tree is then searched for these, which become {@code
 * {"@type":…,"value":…}}. On the way, fields that the proto files mark as sensitive, and values of
 * headers that carry credentials, are blanked.
 */
final class PrintableForm {
  private static final String MARK = "outrigger:not readable";
  private static final String STRUCT_URL = "type.googleapis.com/google.protobuf.Struct";
  private static final String REDACTED = "[redacted]";

  /** Of headers by these names, values and what they are compared with are nobody's business. */
  private static final Set<String> SECRET_HEADERS =
      Set.of("authorization", "proxy-authorization", "cookie", "set-cookie");

  /** The field that names the header in the messages that have one. */
  private static final Map<String, String> HEADER_NAME_FIELDS =
      Map.of(
          "envoy.config.core.v3.HeaderValue", "key",
          "envoy.config.route.v3.HeaderMatcher", "name");

  private static final int ANY_URL = 1;
  private static final int ANY_VALUE = 2;

  /** Any within Any restarts protobuf's own depth limit; past this ours stops. */
  private static final int DEEPEST = 64;

  private PrintableForm() {}

  static JsonElement of(String typeUrl, byte[] bytes) {
    Message any = printableAny(typeUrl, ByteString.copyFrom(bytes), 0);
    try {
      String json =
          JsonFormat.printer()
              .usingTypeRegistry(KnownTypes.all())
              .preservingProtoFieldNames()
              .print(any);
      return restored(JsonParser.parseString(json));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // JSON has no form for illegal durations nor for a NaN in a Struct.
      var answer = new JsonObject();
      answer.addProperty("@type", typeUrl);
      answer.addProperty("error", "has no JSON form: " + e.getMessage());
      return answer;
    }
  }

  private static Message printableAny(String typeUrl, ByteString value, int depth) {
    return known(typeUrl, depth)
        .flatMap(type -> parsed(type, value))
        .map(message -> any(typeUrl, printable(message, depth + 1).toByteString()))
        .orElseGet(() -> marked(typeUrl, value));
  }

  private static Optional<Descriptor> known(String typeUrl, int depth) {
    if (depth > DEEPEST || typeUrl.indexOf('/') < 0) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(KnownTypes.all().getDescriptorForTypeUrl(typeUrl));
    } catch (InvalidProtocolBufferException malformedUrl) {
      return Optional.empty();
    }
  }

  private static Optional<Message> parsed(Descriptor type, ByteString value) {
    try {
      return Optional.of(DynamicMessage.parseFrom(type, value));
    } catch (InvalidProtocolBufferException notReadable) {
      return Optional.empty();
    }
  }

  private static Any any(String typeUrl, ByteString value) {
    return Any.newBuilder().setTypeUrl(typeUrl).setValue(value).build();
  }

  private static Any marked(String typeUrl, ByteString value) {
    String base64 = Base64.getEncoder().encodeToString(value.toByteArray());
    var pair =
        ListValue.newBuilder()
            .addValues(Value.newBuilder().setStringValue(typeUrl))
            .addValues(Value.newBuilder().setStringValue(base64));
    var struct =
        Struct.newBuilder().putFields(MARK, Value.newBuilder().setListValue(pair).build()).build();
    return any(STRUCT_URL, struct.toByteString());
  }

  /** A copy of {@code message} without unresolvable Anys and secrets; itself when it has none. */
  private static Message printable(Message message, int depth) {
    Descriptor type = message.getDescriptorForType();
    if (type.getFullName().equals("google.protobuf.Any")) {
      String url = (String) message.getField(type.findFieldByNumber(ANY_URL));
      ByteString value = (ByteString) message.getField(type.findFieldByNumber(ANY_VALUE));
      return url.isEmpty() && value.isEmpty() ? message : printableAny(url, value, depth);
    }
    if (type.getFile().getPackage().equals("google.protobuf")) {
      return message;
    }
    String nameField = HEADER_NAME_FIELDS.get(type.getFullName());
    if (nameField != null) {
      FieldDescriptor name = type.findFieldByName(nameField);
      String header = ((String) message.getField(name)).toLowerCase(Locale.ROOT);
      return SECRET_HEADERS.contains(header) ? redactedExcept(name, message) : message;
    }
    Message.@Nullable Builder changed = null;
    for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
      Object before = field.getValue();
      Object after = printableField(field.getKey(), before, depth);
      if (after != before) {
        changed = changed == null ? message.toBuilder() : changed;
        changed.setField(field.getKey(), after);
      }
    }
    return changed == null ? message : changed.build();
  }

  private static Object printableField(FieldDescriptor field, Object value, int depth) {
    if (isSensitive(field)) {
      return redacted(value);
    }
    if (field.getJavaType() != JavaType.MESSAGE) {
      return value;
    }
    if (!field.isRepeated()) {
      return printable((Message) value, depth);
    }
    List<?> before = (List<?>) value;
    List<Object> after =
        before.stream().<Object>map(element -> printable((Message) element, depth)).toList();
    for (int i = 0; i < after.size(); i++) {
      if (after.get(i) != before.get(i)) {
        return after;
      }
    }
    return value;
  }

  private static boolean isSensitive(FieldDescriptor field) {
    return field.getOptions().getExtension(udpa.annotations.Sensitive.sensitive);
  }

  private static Object redacted(Object value) {
    if (value instanceof String) {
      return REDACTED;
    }
    if (value instanceof ByteString) {
      return ByteString.copyFromUtf8(REDACTED);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(PrintableForm::redacted).toList();
    }
    return value instanceof Message message ? redactedExcept(null, message) : value;
  }

  private static Message redactedExcept(@Nullable FieldDescriptor kept, Message message) {
    Message.Builder builder = message.toBuilder();
    message
        .getAllFields()
        .forEach(
            (field, value) -> builder.setField(field, field == kept ? value : redacted(value)));
    return builder.build();
  }

  /** Turns the marked Structs of a printed tree into type and bytes. */
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
      answer.add("value", pair.get(1));
      return answer;
    }
    object.asMap().replaceAll((name, element) -> restored(element));
    return object;
  }
}
