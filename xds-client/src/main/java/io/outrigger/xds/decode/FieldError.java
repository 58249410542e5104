package io.outrigger.xds.decode;

import java.util.List;

/**
 * One field of a resource that is wrong, or that has no effect.
 *
 * @param path of the field, such as {@code routes[2].match}; empty for the whole resource
 * @param steps the same path, step by step: names of fields, indexes in lists, keys of maps
 */
public record FieldError(String path, List<String> steps, String reason) {
  public FieldError {
    steps = List.copyOf(steps);
  }

  /** An error of the whole resource. */
  public static FieldError of(String reason) {
    return new FieldError("", List.of(), reason);
  }

  /** {@code path: reason}. */
  @Override
  public String toString() {
    return path.isEmpty() ? reason : path + ": " + reason;
  }
}
