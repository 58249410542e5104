package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Random;

/**
 * Messages that a parser takes and nobody would write: any field, with values at the edges of its
 * type, and configurations of all kinds wherever an {@code Any} may stand.
 */
final class RandomMessages {
  private static final int DEEPEST = 9;
  private static final List<String> TEXTS =
      List.of(
          "",
          "a",
          "xdstp://x/y",
          "*.example.com",
          "10.0.0.1",
          "2001:db8::1",
          "((a{1000}){1000}){1000}",
          "(((((((((((a*)*)*)*)*)*)*)*)*)*)*",
          "[",
          "\u0000\r\n\u202e",
          "ü".repeat(100),
          "n".repeat(1 << 20));

  private final Random random;
  private final List<Descriptor> extensions;

  /**
   * @param extensions what an {@code Any} may hold
   */
  RandomMessages(long seed, List<Descriptor> extensions) {
    this.random = new Random(seed);
    this.extensions = extensions;
  }

  /** A message of {@code type}; {@code name} is set in the field of that name. */
  Message message(Descriptor type, String nameField, String name) {
    var builder = DynamicMessage.newBuilder(message(type, 0));
    return builder.setField(type.findFieldByName(nameField), name).build();
  }

  /** A message of {@code type}. */
  Message message(Descriptor type) {
    return message(type, 0);
  }

  private Message message(Descriptor type, int depth) {
    if (type.getFullName().equals("google.protobuf.Any")) {
      return any(type, depth);
    }
    var builder = DynamicMessage.newBuilder(type);
    int fields = type.getFields().size();
    // Few fields of many, or nothing would ever be nearly right.
    int chance = depth > DEEPEST ? 0 : fields == 0 ? 0 : Math.max(15, Math.min(80, 300 / fields));
    for (FieldDescriptor field : type.getFields()) {
      if (random.nextInt(100) >= chance) {
        continue;
      }
      if (field.isRepeated()) {
        for (int i = random.nextInt(4); i > 0; i--) {
          builder.addRepeatedField(field, value(field, depth));
        }
      } else {
        builder.setField(field, value(field, depth));
      }
    }
    return builder.build();
  }

  private Message any(Descriptor type, int depth) {
    var any = DynamicMessage.newBuilder(type);
    Descriptor held = extensions.get(random.nextInt(extensions.size()));
    ByteString bytes =
        depth > DEEPEST || random.nextInt(8) == 0
            ? ByteString.copyFromUtf8("\u0001garbage")
            : message(held, depth + 1).toByteString();
    any.setField(
        type.findFieldByNumber(Any.TYPE_URL_FIELD_NUMBER),
        "type.googleapis.com/" + held.getFullName());
    return any.setField(type.findFieldByNumber(Any.VALUE_FIELD_NUMBER), bytes).build();
  }

  private Object value(FieldDescriptor field, int depth) {
    return switch (field.getJavaType()) {
      case BOOLEAN -> random.nextBoolean();
      case INT -> pick(0, 1, 2, 80, -1, 100_000, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case LONG -> pick(0L, 1L, 5L, -1L, 315_576_000_001L, Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT -> pick(0f, 1f, -1f, Float.NaN, Float.POSITIVE_INFINITY, Float.MAX_VALUE);
      case DOUBLE -> pick(0d, 1d, -1d, Double.NaN, Double.NEGATIVE_INFINITY, Double.MIN_VALUE);
      case STRING -> text();
      case BYTE_STRING -> ByteString.copyFromUtf8(text());
      case ENUM -> {
        List<EnumValueDescriptor> values = field.getEnumType().getValues();
        yield values.get(random.nextInt(values.size()));
      }
      case MESSAGE -> message(field.getMessageType(), depth + 1);
    };
  }

  /** The longest one seldom: it is for finding what is not bounded, not for filling memory. */
  private String text() {
    return TEXTS.get(random.nextInt(random.nextInt(50) == 0 ? TEXTS.size() : TEXTS.size() - 1));
  }

  private Object pick(Object... values) {
    return values[random.nextInt(values.length)];
  }
}
