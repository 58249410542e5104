package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Describes the differences between two JSON trees for people, one line for each place. */
@AnyThread
final class JsonDifference {
  private static final int MAX_LINES = 50;
  private static final int MAX_VALUE = 200;

  private final List<String> lines = new ArrayList<>();
  private int left;

  private JsonDifference() {}

  /**
   * Returns lines such as {@code + outlier_detection.interval: "1s"}, {@code - lb_policy:
   * "RING_HASH"} and {@code ~ endpoints[0].priority: 1 -> 2}. List elements are compared by their
   * index. If there are too many lines, the last line gives the number of omitted lines.
   */
  static List<String> of(JsonElement before, JsonElement after) {
    var difference = new JsonDifference();
    difference.compare("", before, after);
    if (difference.left > 0) {
      difference.lines.add("… " + difference.left + " more");
    }
    return List.copyOf(difference.lines);
  }

  private void compare(String path, JsonElement before, JsonElement after) {
    if (before.equals(after)) {
      return;
    }
    if (before instanceof JsonObject a && after instanceof JsonObject b) {
      Set<String> names = new LinkedHashSet<>(a.keySet());
      names.addAll(b.keySet());
      for (String name : names) {
        compareMember(path.isEmpty() ? name : path + "." + name, a.get(name), b.get(name));
      }
    } else if (before instanceof JsonArray a && after instanceof JsonArray b) {
      for (int i = 0; i < Math.max(a.size(), b.size()); i++) {
        compareMember(
            path + "[" + i + "]", i < a.size() ? a.get(i) : null, i < b.size() ? b.get(i) : null);
      }
    } else {
      add("~ " + path + ": " + text(before) + " -> " + text(after));
    }
  }

  private void compareMember(
      String path, @Nullable JsonElement before, @Nullable JsonElement after) {
    if (before == null && after != null) {
      add("+ " + path + ": " + text(after));
    } else if (before != null && after == null) {
      add("- " + path + ": " + text(before));
    } else if (before != null && after != null) {
      compare(path, before, after);
    }
  }

  private void add(String line) {
    if (lines.size() < MAX_LINES) {
      lines.add(line);
    } else {
      left++;
    }
  }

  private static String text(JsonElement value) {
    String text = value.toString();
    return text.length() > MAX_VALUE ? text.substring(0, MAX_VALUE) + "…" : text;
  }
}
