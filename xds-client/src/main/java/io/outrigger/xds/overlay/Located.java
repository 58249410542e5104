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
import java.util.stream.IntStream;

/** A parsed document, or a part of a document, with its position. */
@AnyThread
public sealed interface Located {
  Position position();

  JsonElement json();

  /**
   * Follows {@code steps} until a part is missing, and returns the position of the last part found.
   *
   * @param steps names of fields, in snake case or camel case, and indexes in lists
   */
  default Position positionOf(List<String> steps) {
    var at = new Entry(position(), this);
    for (String step : steps) {
      Optional<Entry> next = at.value().find(step);
      if (next.isEmpty()) {
        break;
      }
      at = next.get();
    }
    return at.position();
  }

  /** Returns a field of a mapping, or an element of a list. */
  default Optional<Entry> find(String step) {
    return Optional.empty();
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
    public Optional<Entry> find(String name) {
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
   * A field of a mapping, or an element of a list.
   *
   * @param position the position of the field's name, or of the element
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
    public Optional<Entry> find(String index) {
      return IntStream.range(0, items.size())
          .filter(i -> index.equals(Integer.toString(i)))
          .mapToObj(i -> new Entry(items.get(i).position(), items.get(i)))
          .findFirst();
    }
  }

  record Scalar(Position position, JsonElement json) implements Located {}
}
