package io.outrigger.xds.decode;

import java.util.HashMap;
import java.util.Map;

/**
 * One field of a message, as {@link JsonFields} spells it: {@code name:number:slot:kind}, and after
 * another colon the type of a message or enum. A {@code *} before the kind stands for a list, a
 * {@code %} for a map whose keys are strings.
 *
 * @param slot the same for fields that exclude one another, the members of a {@code oneof}
 * @param kind of the value: {@code m} message, {@code e} enum, {@code s} string, {@code y} bytes,
 *     {@code b} bool, {@code i} int32, {@code u} uint32, {@code I} int64, {@code U} uint64, {@code
 *     f} float, {@code d} double
 * @param type full name; empty for scalars
 */
record JsonField(int number, int slot, Shape shape, char kind, String type) {
  enum Shape {
    SINGLE,
    LIST,
    MAP
  }

  /** The fields by each of the two names that JSON may give them. */
  static Map<String, JsonField> parse(String message) {
    Map<String, JsonField> fields = new HashMap<>();
    int start = 0;
    while (start < message.length()) {
      int end = message.indexOf(' ', start);
      String text = message.substring(start, end);
      int name = text.indexOf(':');
      if (name > 0) {
        JsonField field = of(text.substring(name + 1));
        fields.put(text.substring(0, name), field);
        fields.put(jsonName(text.substring(0, name)), field);
      }
      start = end + 1;
    }
    return fields;
  }

  private static JsonField of(String text) {
    int number = text.indexOf(':');
    int slot = text.indexOf(':', number + 1);
    int type = text.indexOf(':', slot + 1);
    String kind = text.substring(slot + 1, type < 0 ? text.length() : type);
    Shape shape =
        switch (kind.charAt(0)) {
          case '*' -> Shape.LIST;
          case '%' -> Shape.MAP;
          default -> Shape.SINGLE;
        };
    return new JsonField(
        Integer.parseInt(text.substring(0, number)),
        Integer.parseInt(text.substring(number + 1, slot)),
        shape,
        kind.charAt(kind.length() - 1),
        type < 0 ? "" : text.substring(type + 1));
  }

  /** The lowerCamelCase of the proto3 mapping. */
  static String jsonName(String name) {
    if (name.indexOf('_') < 0) {
      return name;
    }
    var json = new StringBuilder();
    boolean upper = false;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c != '_') {
        json.append(upper ? Character.toUpperCase(c) : c);
      }
      upper = c == '_';
    }
    return json.toString();
  }
}
