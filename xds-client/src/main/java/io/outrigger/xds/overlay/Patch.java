package io.outrigger.xds.overlay;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.outrigger.base.AnyThread;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields that a rule names, in the order of its document. */
@AnyThread
public record Patch(List<Field> fields) {
  public static final Patch NOTHING = new Patch(List.of());

  public Patch {
    fields = List.copyOf(fields);
  }

  /** One field of a message. */
  public sealed interface Field {
    FieldDescriptor field();
  }

  /**
   * A field that is set as a whole: a scalar, a list, or a message that is one value.
   *
   * @param value as {@link Message.Builder#setField} takes it; null takes the field away
   * @param json the value as proto3 JSON
   */
  public record Whole(FieldDescriptor field, @Nullable Object value, String json)
      implements Field {}

  /** A message of which some fields are set; none says that the message is there. */
  public record Within(FieldDescriptor field, List<Field> fields) implements Field {
    public Within {
      fields = List.copyOf(fields);
    }
  }

  /**
   * The entry of a map of {@code Any}, of which some fields are set.
   *
   * @param key the entry's
   * @param type of the packed message
   */
  public record Packed(FieldDescriptor field, String key, Message type, List<Field> fields)
      implements Field {
    public Packed {
      fields = List.copyOf(fields);
    }
  }
}
