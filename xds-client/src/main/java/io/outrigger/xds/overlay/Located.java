package io.outrigger.xds.overlay;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A tree of a document whose parts know where they stand. */
@AnyThread
public sealed interface Located {
  /** Where it begins. */
  Place place();

  /** The same as JSON. */
  JsonElement json();

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
  }

  /** A text, a number, a truth value, or null. */
  record Scalar(Place place, JsonElement json) implements Located {}
}
