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

/** A parsed document tree in which every part has its line and column. */
@AnyThread
public sealed interface Located {
  Place place();

  JsonElement json();

  /**
   * Returns the place of the part at the path {@code steps}. If that part does not exist, returns
   * the place of the last existing part on the path. Steps are names of fields, in snake case or
   * camel case, and indexes in lists.
   */
  default Place placeOf(List<String> steps) {
    return placeOf(steps, place());
  }

  /**
   * Returns the place as {@link #placeOf(List)} does, but with {@code here} as the place of this
   * part.
   *
   * @param here the place of this part; for the value of a field, the place of the field's name
   */
  default Place placeOf(List<String> steps, Place here) {
    return here;
  }

  record Place(int line, int column) {}

  /** A mapping: its fields by name, in the order of the document. */
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
   * @param place the place of the field's name
   */
  record Entry(Place place, Located value) {}

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

  record Scalar(Place place, JsonElement json) implements Located {}
}
