package io.outrigger.xds.decode;

import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Rejects JSON objects in which a name occurs twice. The JSON parser would silently use the last
 * value.
 */
final class UniqueNames {
  private UniqueNames() {}

  /**
   * Reads {@code json} and checks the names of every object.
   *
   * @throws JsonParseException if a name occurs twice in an object; the message has the place
   * @throws IOException if {@code json} is not valid JSON
   */
  static void check(String json) throws IOException {
    Deque<Set<String>> objects = new ArrayDeque<>();
    try (var reader = new JsonReader(new StringReader(json))) {
      reader.setStrictness(Strictness.STRICT);
      for (JsonToken next = reader.peek(); next != JsonToken.END_DOCUMENT; next = reader.peek()) {
        switch (next) {
          case BEGIN_OBJECT -> {
            reader.beginObject();
            objects.push(new HashSet<>());
          }
          case END_OBJECT -> {
            reader.endObject();
            objects.pop();
          }
          case BEGIN_ARRAY -> reader.beginArray();
          case END_ARRAY -> reader.endArray();
          case NAME -> {
            if (!objects.element().add(reader.nextName())) {
              throw new JsonParseException("a name twice in one object: " + reader.getPath());
            }
          }
          default -> reader.skipValue();
        }
      }
    }
  }
}
