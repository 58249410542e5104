package io.outrigger.xds.decode;

import io.outrigger.base.PlainText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The errors of one resource, and the fields of it that have no effect.
 *
 * <p>A view stands at one place of the message; {@link #at} steps down and costs next to nothing,
 * the path is spelled only when an error is added. All views of a resource share one list. Confined
 * to the call that decodes the resource.
 */
final class FieldErrors {
  /** A resource of ten thousand bad endpoints must not become a NACK of megabytes. */
  static final int MOST = 100;

  private static final int MAX_QUOTE = 200;

  private static final class Found {
    final List<FieldError> errors = new ArrayList<>();
    final List<FieldError> ignored = new ArrayList<>();
    int count;
  }

  private final Found found;
  private final @Nullable FieldErrors parent;
  private final String step;
  private final int index; // in a list; -1 elsewhere
  private final @Nullable String key; // in a map
  private final String leftOut; // with an error; empty where an error refuses the resource

  private FieldErrors(
      Found found,
      @Nullable FieldErrors parent,
      String step,
      int index,
      @Nullable String key,
      String leftOut) {
    this.found = found;
    this.parent = parent;
    this.step = step;
    this.index = index;
    this.key = key;
    this.leftOut = leftOut;
  }

  /** The top of a resource that is about to be decoded. */
  static FieldErrors ofResource() {
    return new FieldErrors(new Found(), null, "", -1, null, "");
  }

  /** The field {@code name} of the message at this place. */
  FieldErrors at(String name) {
    return new FieldErrors(found, this, name, -1, null, leftOut);
  }

  /** The element {@code index} of the repeated field {@code name}. */
  FieldErrors at(String name, int index) {
    return new FieldErrors(found, this, name, index, null, leftOut);
  }

  /** The entry {@code key} of the map field {@code name}. */
  FieldErrors at(String name, String key) {
    return new FieldErrors(found, this, name, -1, key, leftOut);
  }

  /**
   * The same place, where an error is no reason to refuse the resource: {@code part} of it is left
   * out, and the rest goes on.
   */
  FieldErrors leavingOut(String part) {
    return new FieldErrors(found, parent, step, index, key, part);
  }

  /** Notes that the field at this place is wrong. */
  void add(String reason) {
    if (!leftOut.isEmpty()) {
      ignore(reason + "; " + leftOut + " is left out");
    } else if (++found.count <= MOST) {
      found.errors.add(here(reason));
    }
  }

  /** Notes that the field at this place is valid, but has no effect, or less than it seems. */
  void ignore(String reason) {
    if (found.ignored.size() < MOST) {
      found.ignored.add(here(reason));
    }
  }

  private FieldError here(String reason) {
    List<String> steps = new ArrayList<>();
    addSteps(steps);
    return new FieldError(path(), steps, reason);
  }

  /** Whether nothing is wrong so far, anywhere in the resource. */
  boolean isEmpty() {
    return found.count == 0;
  }

  /** How many fields are wrong so far, anywhere in the resource. */
  int count() {
    return found.count;
  }

  /** Every error in the order of discovery; past {@link #MOST}, how many more there are. */
  List<FieldError> all() {
    var errors = new ArrayList<>(found.errors);
    if (found.count > MOST) {
      errors.add(FieldError.of("and " + (found.count - MOST) + " more errors"));
    }
    return errors;
  }

  /** The fields without effect, in the order of discovery; the first {@link #MOST} of them. */
  List<FieldError> ignored() {
    return List.copyOf(found.ignored);
  }

  private void addSteps(List<String> steps) {
    if (parent == null) {
      return;
    }
    parent.addSteps(steps);
    steps.add(step);
    if (key != null) {
      steps.add(key);
    } else if (index >= 0) {
      steps.add(Integer.toString(index));
    }
  }

  private String path() {
    if (parent == null) {
      return step;
    }
    String before = parent.path();
    String here = step;
    if (key != null) {
      here += "[" + quoted(key) + "]";
    } else if (index >= 0) {
      here += "[" + index + "]";
    }
    return before.isEmpty() ? here : before + "." + here;
  }

  /** A text of the control plane, fit for one line of a message: quoted, shortened, no controls. */
  static String quoted(String text) {
    boolean isLong = text.length() > MAX_QUOTE;
    String shown = isLong ? text.substring(0, MAX_QUOTE) + "…" : text;
    var quoted = new StringBuilder("\"");
    shown.codePoints().forEach(c -> quoted.appendCodePoint(PlainText.steers(c) ? '?' : c));
    return quoted.append('"').toString();
  }
}
