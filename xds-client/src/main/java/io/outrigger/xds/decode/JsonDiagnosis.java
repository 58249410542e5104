package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;
import static java.util.stream.Collectors.joining;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import io.outrigger.base.DidYouMean;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds every unknown field, unknown type and malformed value in a JSON tree that protobuf's JSON
 * parser has rejected. The parser of protobuf stops at the first error and reports no path.
 */
final class JsonDiagnosis {
  private static final String TYPE = "@type";

  private JsonDiagnosis() {}

  static List<FieldError> of(JsonObject any) {
    FieldErrors errors = FieldErrors.ofResource();
    any(any, errors);
    return errors.all();
  }

  static void add(Struct tree, Descriptor type, FieldErrors errors) {
    try {
      String json = JsonFormat.printer().print(tree);
      message(JsonParser.parseString(json).getAsJsonObject(), type, errors);
    } catch (InvalidProtocolBufferException | IllegalArgumentException noJson) {
      // The caller reports the parser's own error message, which names no field.
    }
  }

  private static void any(JsonObject tree, FieldErrors errors) {
    JsonElement type = tree.get(TYPE);
    if (type == null) {
      if (tree.size() > 0) {
        errors.add("\"@type\" is missing");
      }
      return;
    }
    String url = type.isJsonPrimitive() ? type.getAsString() : type.toString();
    Optional<Descriptor> descriptor = KnownTypes.find(url);
    if (descriptor.isEmpty()) {
      errors.at(TYPE).add("unknown type " + quoted(url) + "; check its spelling");
    } else if (!isWellKnown(descriptor.get())) {
      message(tree, descriptor.get(), errors);
    }
  }

  static Optional<FieldDescriptor> find(Descriptor type, String name) {
    return type.getFields().stream()
        .filter(field -> field.getName().equals(name) || field.getJsonName().equals(name))
        .findFirst();
  }

  static void message(JsonObject tree, Descriptor type, FieldErrors errors) {
    for (Map.Entry<String, JsonElement> entry : tree.entrySet()) {
      if (entry.getKey().equals(TYPE)) {
        continue;
      }
      Optional<FieldDescriptor> field = find(type, entry.getKey());
      if (field.isEmpty()) {
        List<String> known = type.getFields().stream().map(FieldDescriptor::getName).toList();
        String likely = DidYouMean.question(entry.getKey(), known);
        errors.at(entry.getKey()).add("unknown field of " + type.getFullName() + likely);
      } else {
        field(entry.getValue(), field.get(), entry.getKey(), errors);
      }
    }
  }

  private static void field(
      JsonElement tree, FieldDescriptor field, String name, FieldErrors errors) {
    if (tree.isJsonNull()) {
      return; // JSON null counts as absent
    }
    if (field.isMapField()) {
      FieldDescriptor value = field.getMessageType().findFieldByName("value");
      if (isWalkable(value) && tree instanceof JsonObject map) {
        map.asMap().forEach((key, element) -> value(element, value, errors.at(name, key)));
        return;
      }
    } else if (isWalkable(field)) {
      if (!field.isRepeated()) {
        value(tree, field, errors.at(name));
        return;
      }
      if (tree instanceof JsonArray list) {
        for (int i = 0; i < list.size(); i++) {
          value(list.get(i), field, errors.at(name, i));
        }
        return;
      }
    }
    leaf(tree, field, errors.at(name));
  }

  /** Whether the field holds messages whose fields can be checked one by one. */
  private static boolean isWalkable(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE
        && (isAny(field.getMessageType()) || !isWellKnown(field.getMessageType()));
  }

  private static boolean isAny(Descriptor type) {
    return type.getFullName().equals("google.protobuf.Any");
  }

  /** Whether the type has a special JSON form: all well-known types except {@code Empty} do. */
  private static boolean isWellKnown(Descriptor type) {
    return type.getFile().getPackage().equals("google.protobuf")
        && !type.getFullName().equals("google.protobuf.Empty");
  }

  private static void value(JsonElement tree, FieldDescriptor field, FieldErrors errors) {
    if (!(tree instanceof JsonObject object)) {
      errors.add("must be an object");
    } else if (isAny(field.getMessageType())) {
      any(object, errors);
    } else {
      message(object, field.getMessageType(), errors);
    }
  }

  private static void leaf(JsonElement tree, FieldDescriptor field, FieldErrors errors) {
    var alone = new JsonObject();
    alone.add(field.getName(), tree);
    FieldErrors found = FieldErrors.ofResource();
    if (parse(alone, DynamicMessage.newBuilder(field.getContainingType()), found)) {
      return;
    }
    String given = quoted(tree.isJsonPrimitive() ? tree.getAsString() : tree.toString());
    if (field.getJavaType() == JavaType.ENUM) {
      String values =
          field.getEnumType().getValues().stream()
              .map(EnumValueDescriptor::getName)
              .collect(joining(", "));
      errors.add(given + " is none of " + values);
    } else if (field.getJavaType() == JavaType.MESSAGE
        && field.getMessageType().getFullName().equals("google.protobuf.Duration")) {
      errors.add(given + " is not a duration such as \"5s\" or \"0.25s\"");
    } else {
      errors.add(found.all().get(0).reason());
    }
  }

  static boolean parse(JsonObject tree, Message.Builder into, FieldErrors errors) {
    try {
      JsonFormat.parser().usingTypeRegistry(KnownTypes.all()).merge(tree.toString(), into);
      return true;
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      errors.add(String.valueOf(e.getMessage()));
      return false;
    }
  }
}
