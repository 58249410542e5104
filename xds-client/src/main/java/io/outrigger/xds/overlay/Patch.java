package io.outrigger.xds.overlay;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields that a rule sets, in the order of the document. */
public record Patch(List<Field> fields) {
  public static final Patch NOTHING = new Patch(List.of());

  public Patch {
    fields = List.copyOf(fields);
  }

  public sealed interface Field {
    FieldDescriptor field();
  }

  /**
   * A field that a rule sets to a complete value.
   *
   * @param value the argument of {@link Message.Builder#setField}; null clears the field
   */
  public record Whole(FieldDescriptor field, @Nullable Object value, String json)
      implements Field {}

  /**
   * A message in which a rule sets fields. If the message is absent, it is added with these fields.
   *
   * @param fields the fields that the rule sets; if the list is empty, an absent message is added
   *     as an empty message, and a present message stays unchanged
   */
  public record Within(FieldDescriptor field, List<Field> fields) implements Field {
    public Within {
      fields = List.copyOf(fields);
    }
  }

  /**
   * The {@code HttpProtocolOptions} of a cluster, in which a rule sets fields.
   *
   * @param field the cluster's map field, which maps the {@code key} to an Any with this message
   */
  public record Packed(FieldDescriptor field, String key, List<Field> fields) implements Field {
    public Packed {
      fields = List.copyOf(fields);
    }
  }
}
