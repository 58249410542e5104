package io.outrigger.xds.decode;

import io.outrigger.xds.RawResource;
import io.outrigger.xds.overlay.Overlay;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The result of decoding the resources of one response.
 *
 * @param valid the valid resources by name, in order of arrival
 * @param invalid the invalid resources by name; no name is both valid and invalid
 * @param unnamed the errors of resources whose name could not be read, such as {@code "resource #3:
 *     …"}
 * @param overlay the overlay that was applied to the valid resources
 */
public record Decoded<T>(
    Map<String, Valid<T>> valid,
    Map<String, Invalid> invalid,
    List<String> unnamed,
    Overlay overlay) {
  public Decoded {
    valid = Collections.unmodifiableMap(valid); // no copy: a response may have 10,000 resources
    invalid = Collections.unmodifiableMap(invalid);
    unnamed = List.copyOf(unnamed);
  }

  public Decoded(Map<String, Valid<T>> valid, Map<String, Invalid> invalid, List<String> unnamed) {
    this(valid, invalid, unnamed, Overlay.NONE);
  }

  /**
   * @param warnings a warning for each field that has no effect
   */
  public record Valid<T>(T value, RawResource raw, List<FieldError> warnings) {
    public Valid {
      warnings = List.copyOf(warnings);
    }

    public Valid(T value, RawResource raw) {
      this(value, raw, List.of());
    }
  }

  public record Invalid(List<FieldError> errors, RawResource raw) {
    public Invalid {
      errors = List.copyOf(errors);
    }

    public static Invalid of(RawResource raw, String... reasons) {
      return new Invalid(Arrays.stream(reasons).map(FieldError::of).toList(), raw);
    }

    /** Returns texts of the form {@code field.path: reason}. */
    public List<String> texts() {
      return errors.stream().map(FieldError::toString).toList();
    }
  }

  public boolean hasErrors() {
    return !invalid.isEmpty() || !unnamed.isEmpty();
  }
}
