package io.outrigger.xds.local;

import static java.util.Objects.requireNonNull;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A parsed document with the positions of its parts. */
@AnyThread
public final class Located {
  public record Position(int line, int column) {}

  private final JsonElement json;
  private final Position start;

  /** Maps each object and list, by identity, to the positions of its fields or elements. */
  private final IdentityHashMap<JsonElement, Map<String, Position>> positions;

  Located(
      JsonElement json,
      Position start,
      IdentityHashMap<JsonElement, Map<String, Position>> positions) {
    this.json = json;
    this.start = start;
    this.positions = positions;
  }

  public JsonElement json() {
    return json;
  }

  Position start() {
    return start;
  }

  /**
   * Returns the position of a field's name, or of an element of a list.
   *
   * @param parent an object or list of this document
   * @param step the name of the field, or the index of the element
   */
  public Position position(JsonElement parent, String step) {
    return requireNonNull(requireNonNull(positions.get(parent)).get(step));
  }

  /**
   * Follows the steps until a part is missing, and returns the position of the last part found.
   *
   * @param steps names of fields, in snake case or camel case, and indexes in lists
   */
  public Position positionOf(List<String> steps) {
    return positionOf(steps, json, start);
  }

  /**
   * @param root the object or list to which the first of the {@code steps} applies
   */
  Position positionOf(List<String> steps, JsonElement root, Position ofRoot) {
    JsonElement part = root;
    Position found = ofRoot;
    for (String step : steps) {
      Map<String, Position> parts = positions.getOrDefault(part, Map.of());
      Optional<String> next =
          parts.containsKey(step)
              ? Optional.of(step)
              : parts.keySet().stream()
                  .filter(name -> normalized(name).equals(normalized(step)))
                  .findFirst();
      if (next.isEmpty()) {
        break;
      }
      found = position(part, next.get());
      part =
          part instanceof JsonArray list
              ? list.get(Integer.parseInt(next.get()))
              : ((JsonObject) part).get(next.get());
    }
    return found;
  }

  private static String normalized(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }
}
