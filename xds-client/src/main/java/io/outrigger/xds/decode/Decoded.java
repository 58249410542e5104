package io.outrigger.xds.decode;

import io.outrigger.xds.RawResource;
import io.outrigger.xds.overlay.Overlay;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What became of the resources of one response.
 *
 * @param valid by name, in order of arrival
 * @param invalid by name, with every error; a name is in one of both maps only
 * @param unnamed errors of resources whose name could not be read, such as {@code "resource #3: …"}
 * @param overlay that lies over the valid ones
 */
public record Decoded<T>(
    Map<String, Valid<T>> valid,
    Map<String, Invalid> invalid,
    List<String> unnamed,
    Overlay overlay) {
  public Decoded {
    valid = new LinkedHashMap<>(valid);
    invalid = new LinkedHashMap<>(invalid);
    unnamed = List.copyOf(unnamed);
  }

  /** Without local policy. */
  public Decoded(Map<String, Valid<T>> valid, Map<String, Invalid> invalid, List<String> unnamed) {
    this(valid, invalid, unnamed, Overlay.NONE);
  }

  /**
   * A resource that may be used.
   *
   * @param ignored its fields that have no effect
   */
  public record Valid<T>(T value, RawResource raw, List<FieldError> ignored) {
    public Valid {
      ignored = List.copyOf(ignored);
    }

    /** A resource of which every field has its effect. */
    public Valid(T value, RawResource raw) {
      this(value, raw, List.of());
    }
  }

  /** A resource that is refused, with every reason. */
  public record Invalid(List<FieldError> errors, RawResource raw) {
    public Invalid {
      errors = List.copyOf(errors);
    }

    /** A resource that is refused as a whole. */
    public static Invalid of(RawResource raw, String... reasons) {
      return new Invalid(Arrays.stream(reasons).map(FieldError::of).toList(), raw);
    }

    /** The reasons, each as {@code field.path: reason}. */
    public List<String> texts() {
      return errors.stream().map(FieldError::toString).toList();
    }
  }

  /** Whether the response must be NACKed. */
  public boolean hasErrors() {
    return !invalid.isEmpty() || !unnamed.isEmpty();
  }
}
