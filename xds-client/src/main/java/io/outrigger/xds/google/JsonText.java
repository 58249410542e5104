package io.outrigger.xds.google;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.util.Optional;

/** Strict JSON whose text is secret: nothing is told of what is wrong with it. */
final class JsonText {
  private JsonText() {}

  /** The object that {@code text} is; empty when it is anything else. */
  static Optional<JsonObject> object(String text) {
    var reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement document = JsonParser.parseReader(reader);
      return reader.peek() == JsonToken.END_DOCUMENT && document instanceof JsonObject object
          ? Optional.of(object)
          : Optional.empty();
    } catch (JsonParseException | IOException notJson) {
      return Optional.empty();
    }
  }
}
