package io.outrigger.xds.overlay;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A parsed document, or a part of a document, with its position. */
@AnyThread
public sealed interface Located {
  Position position();

  JsonElement json();

  /**
   * Follows {@code steps} as long as parts exist, and returns the position of the last part.
   *
   * @param steps names of fields, in snake case or camel case, and indexes in lists
   */
  default Position positionOf(List<String> steps) {
    return positionOf(steps, position());
  }

  /**
   * @param ownPosition the position of this part; for the value of a field, where the field's name
   *     begins
   */
  default Position positionOf(List<String> steps, Position ownPosition) {
    return ownPosition;
  }

  record Position(int line, int column) {}

  /** A mapping, in the order of the document. */
  record Fields(Position position, Map<String, Entry> entries) implements Located {
    public Fields {
      entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    @Override
    public JsonObject json() {
      var json = new JsonObject();
      entries.forEach((name, entry) -> json.add(name, entry.value().json()));
      return json;
    }

    @Override
    public Position positionOf(List<String> steps, Position ownPosition) {
      Optional<Entry> next = steps.isEmpty() ? Optional.empty() : find(steps.get(0));
      return next.map(
              entry -> entry.value().positionOf(steps.subList(1, steps.size()), entry.position()))
          .orElse(ownPosition);
    }

    private Optional<Entry> find(String name) {
      Entry exact = entries.get(name);
      return exact != null
          ? Optional.of(exact)
          : entries.entrySet().stream()
              .filter(entry -> normalized(entry.getKey()).equals(normalized(name)))
              .map(Map.Entry::getValue)
              .findFirst();
    }

    private static String normalized(String name) {
      return name.replace("_", "").toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A field of a mapping.
   *
   * @param position the position of the field's name
   */
  record Entry(Position position, Located value) {}

  record Items(Position position, List<Located> items) implements Located {
    public Items {
      items = List.copyOf(items);
    }

    @Override
    public JsonArray json() {
      var json = new JsonArray();
      items.forEach(item -> json.add(item.json()));
      return json;
    }

    @Override
    public Position positionOf(List<String> steps, Position ownPosition) {
      for (int i = 0; i < items.size() && !steps.isEmpty(); i++) {
        if (steps.get(0).equals(Integer.toString(i))) {
          Located item = items.get(i);
          return item.positionOf(steps.subList(1, steps.size()), item.position());
        }
      }
      return ownPosition;
    }
  }

  record Scalar(Position position, JsonElement json) implements Located {}
}
