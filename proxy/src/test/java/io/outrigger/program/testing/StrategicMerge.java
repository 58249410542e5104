package io.outrigger.program.testing;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.Optional;

/**
 * Kubernetes' strategic merge, as far as patches of a pod need it: objects are merged, lists of
 * what has a {@code name} by name, those that are new first; everything else is replaced.
 */
public final class StrategicMerge {
  private StrategicMerge() {}

  public static void into(JsonObject target, JsonObject patch) {
    for (Map.Entry<String, JsonElement> entry : patch.entrySet()) {
      JsonElement old = target.get(entry.getKey());
      JsonElement value = entry.getValue().deepCopy();
      if (old instanceof JsonObject object && value instanceof JsonObject changes) {
        into(object, changes);
      } else if (old instanceof JsonArray list && value instanceof JsonArray changes) {
        target.add(entry.getKey(), merged(list, changes));
      } else {
        target.add(entry.getKey(), value);
      }
    }
  }

  private static JsonArray merged(JsonArray list, JsonArray changes) {
    if (changes.isEmpty() || changes.asList().stream().anyMatch(item -> name(item).isEmpty())) {
      return changes;
    }
    var all = new JsonArray();
    for (JsonElement change : changes) {
      if (named(list, name(change)).isEmpty()) {
        all.add(change);
      }
    }
    for (JsonElement item : list) {
      named(changes, name(item))
          .ifPresent(change -> into(item.getAsJsonObject(), change.getAsJsonObject()));
      all.add(item);
    }
    return all;
  }

  private static Optional<JsonElement> named(JsonArray list, Optional<String> name) {
    return list.asList().stream().filter(item -> name(item).equals(name)).findFirst();
  }

  private static Optional<String> name(JsonElement item) {
    return item instanceof JsonObject object && object.has("name")
        ? Optional.of(object.get("name").getAsString())
        : Optional.empty();
  }
}
