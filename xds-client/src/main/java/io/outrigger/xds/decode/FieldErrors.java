package io.outrigger.xds.decode;

import io.outrigger.base.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collects the errors of one resource, and the fields of the resource that have no effect.
 *
 * <p>A resource with an error is rejected as a whole, whatever its decoders return.
 *
 * <p>Each instance is a view of one part of the message. An instance is cheap, because its path is
 * built only when an error is added. All instances for one resource share one list of errors, and
 * are used on one thread.
 */
public final class FieldErrors {
  /** Limits the size of a NACK: a resource may have 10,000 invalid endpoints. */
  static final int MAX_ERRORS = 100;

  private static final int MAX_QUOTE = 200;

  private static final class Found {
    final List<FieldError> errors = new ArrayList<>();
    final List<FieldError> ignored = new ArrayList<>();
    int count;
  }

  private final Found found;
  private final @Nullable FieldErrors parent;
  private final String step;
  private final int index; // the index in a list, or -1
  private final @Nullable String key; // the key in a map, or null

  private FieldErrors(
      Found found, @Nullable FieldErrors parent, String step, int index, @Nullable String key) {
    this.found = found;
    this.parent = parent;
    this.step = step;
    this.index = index;
    this.key = key;
  }

  public static FieldErrors ofResource() {
    return new FieldErrors(new Found(), null, "", -1, null);
  }

  public FieldErrors at(String name) {
    return new FieldErrors(found, this, name, -1, null);
  }

  public FieldErrors at(String name, int index) {
    return new FieldErrors(found, this, name, index, null);
  }

  public FieldErrors at(String name, String key) {
    return new FieldErrors(found, this, name, -1, key);
  }

  /** Decodes the elements of a repeated field; omits those that decode to empty. */
  <P, T> List<T> each(
      String name,
      List<P> protos,
      BiFunction<P, FieldErrors, ? extends Optional<? extends T>> decoder) {
    List<T> decoded = new ArrayList<>();
    for (int i = 0; i < protos.size(); i++) {
      decoder.apply(protos.get(i), at(name, i)).ifPresent(decoded::add);
    }
    return decoded;
  }

  public void add(String reason) {
    if (++found.count <= MAX_ERRORS) {
      found.errors.add(here(reason));
    }
  }

  /** Adds an error and returns an empty Optional, the result of a decoder in case of an error. */
  <T> Optional<T> refuse(String reason) {
    add(reason);
    return Optional.empty();
  }

  /** Reports that the field is valid but has no effect, or less effect than expected. */
  public void ignore(String reason) {
    if (found.ignored.size() < MAX_ERRORS) {
      found.ignored.add(here(reason));
    }
  }

  private FieldError here(String reason) {
    var path = new StringBuilder();
    List<String> steps = new ArrayList<>();
    describe(path, steps);
    return new FieldError(path.toString(), steps, reason);
  }

  boolean isEmpty() {
    return found.count == 0;
  }

  int count() {
    return found.count;
  }

  /** Lists at most {@link #MAX_ERRORS} errors; the last entry is the number of further errors. */
  public List<FieldError> all() {
    var errors = new ArrayList<>(found.errors);
    if (found.count > MAX_ERRORS) {
      errors.add(FieldError.of("and " + (found.count - MAX_ERRORS) + " more errors"));
    }
    return errors;
  }

  public List<FieldError> ignored() {
    return List.copyOf(found.ignored);
  }

  private void describe(StringBuilder path, List<String> steps) {
    if (parent == null) {
      return;
    }
    parent.describe(path, steps);
    path.append(path.isEmpty() ? "" : ".").append(step);
    steps.add(step);
    if (key != null) {
      path.append('[').append(quoted(key)).append(']');
      steps.add(key);
    } else if (index >= 0) {
      path.append('[').append(index).append(']');
      steps.add(Integer.toString(index));
    }
  }

  /** Returns the name of the field that a oneof case represents, such as {@code cluster_header}. */
  static String fieldOf(Enum<?> oneofCase) {
    return oneofCase.name().toLowerCase(Locale.ROOT);
  }

  /** Returns a text of the control plane in quotes, shortened, without control characters. */
  static String quoted(String text) {
    var quoted = new StringBuilder("\"");
    PlainText.shortened(text, MAX_QUOTE)
        .codePoints()
        .forEach(c -> quoted.appendCodePoint(PlainText.isControl(c) ? '?' : c));
    return quoted.append('"').toString();
  }
}
