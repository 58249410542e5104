package io.outrigger.xds.decode;

import io.outrigger.base.PlainText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The errors of one resource, each as {@code field.path: reason}.
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
    final List<String> texts = new ArrayList<>();
    int count;
  }

  private final Found found;
  private final @Nullable FieldErrors parent;
  private final String step;
  private final int index; // in a list; -1 elsewhere
  private final @Nullable String key; // in a map

  private FieldErrors(
      Found found, @Nullable FieldErrors parent, String step, int index, @Nullable String key) {
    this.found = found;
    this.parent = parent;
    this.step = step;
    this.index = index;
    this.key = key;
  }

  /** The top of a resource that is about to be decoded. */
  static FieldErrors ofResource() {
    return new FieldErrors(new Found(), null, "", -1, null);
  }

  /** The field {@code name} of the message at this place. */
  FieldErrors at(String name) {
    return new FieldErrors(found, this, name, -1, null);
  }

  /** The element {@code index} of the repeated field {@code name}. */
  FieldErrors at(String name, int index) {
    return new FieldErrors(found, this, name, index, null);
  }

  /** The entry {@code key} of the map field {@code name}. */
  FieldErrors at(String name, String key) {
    return new FieldErrors(found, this, name, -1, key);
  }

  /** Notes that the field at this place is wrong. */
  void add(String reason) {
    if (++found.count <= MOST) {
      String path = path();
      found.texts.add(path.isEmpty() ? reason : path + ": " + reason);
    }
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
  List<String> all() {
    var texts = new ArrayList<>(found.texts);
    if (found.count > MOST) {
      texts.add("and " + (found.count - MOST) + " more errors");
    }
    return texts;
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
