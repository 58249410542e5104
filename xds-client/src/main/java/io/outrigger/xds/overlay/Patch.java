package io.outrigger.xds.overlay;

import com.google.gson.JsonObject;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.outrigger.base.AnyThread;
import java.util.Optional;

/**
 * The fields that a rule sets.
 *
 * @param values a message with the values of the fields
 * @param tree the fields as JSON, which also has the fields without a value: JSON null clears a
 *     field. Never modified
 */
@AnyThread
public record Patch(Message values, JsonObject tree) {
  /** Finds a field by its name in snake case or camel case. */
  public static Optional<FieldDescriptor> find(Descriptor type, String name) {
    return Optional.ofNullable(type.findFieldByName(name))
        .or(
            () ->
                type.getFields().stream()
                    .filter(field -> field.getJsonName().equals(name))
                    .findFirst());
  }
}
