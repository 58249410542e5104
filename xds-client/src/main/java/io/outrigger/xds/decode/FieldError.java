package io.outrigger.xds.decode;

import java.util.List;

/**
 * A problem with one field of a resource: the field is wrong, or it has no effect.
 *
 * @param path the path of the field, such as {@code routes[2].match}; empty for the whole resource
 * @param steps the path as names of fields, indexes in lists and keys of maps
 */
public record FieldError(String path, List<String> steps, String reason) {
  public FieldError {
    steps = List.copyOf(steps);
  }

  public static FieldError of(String reason) {
    return new FieldError("", List.of(), reason);
  }

  @Override
  public String toString() {
    return path.isEmpty() ? reason : path + ": " + reason;
  }
}
