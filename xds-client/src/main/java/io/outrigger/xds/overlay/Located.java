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

/** A tree of a document whose parts know where they stand. */
@AnyThread
public sealed interface Located {
  /** Where it begins. */
  Place place();

  /** The same as JSON. */
  JsonElement json();

  /**
   * Where the part is that {@code steps} lead to, or the last part on the way that is there. Steps
   * are names of fields, in snake case or camel case, and indexes in lists.
   */
  default Place placeOf(List<String> steps) {
    return placeOf(steps, place());
  }

  /**
   * The same.
   *
   * @param here the place of this part: that of its name, where it has one
   */
  default Place placeOf(List<String> steps, Place here) {
    return here;
  }

  /** Both from 1. */
  record Place(int line, int column) {}

  /** Fields by name, in the order of the document. */
  record Fields(Place place, Map<String, Entry> entries) implements Located {
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
    public Place placeOf(List<String> steps, Place here) {
      Optional<Entry> next = steps.isEmpty() ? Optional.empty() : find(steps.get(0));
      return next.map(entry -> entry.value().placeOf(steps.subList(1, steps.size()), entry.place()))
          .orElse(here);
    }

    private Optional<Entry> find(String name) {
      Entry exact = entries.get(name);
      return exact != null
          ? Optional.of(exact)
          : entries.entrySet().stream()
              .filter(entry -> plain(entry.getKey()).equals(plain(name)))
              .map(Map.Entry::getValue)
              .findFirst();
    }

    private static String plain(String name) {
      return name.replace("_", "").toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A field.
   *
   * @param place of its name
   */
  record Entry(Place place, Located value) {}

  /** A list. */
  record Items(Place place, List<Located> items) implements Located {
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
    public Place placeOf(List<String> steps, Place here) {
      for (int i = 0; i < items.size() && !steps.isEmpty(); i++) {
        if (steps.get(0).equals(Integer.toString(i))) {
          Located item = items.get(i);
          return item.placeOf(steps.subList(1, steps.size()), item.place());
        }
      }
      return here;
    }
  }

  /** A text, a number, a truth value, or null. */
  record Scalar(Place place, JsonElement json) implements Located {}
}
