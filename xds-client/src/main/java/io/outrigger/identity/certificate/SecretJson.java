package io.outrigger.identity.certificate;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Parses strict JSON that may contain secrets; no error message quotes the text. */
public final class SecretJson {
  private SecretJson() {}

  public static Optional<JsonObject> object(byte[] utf8) {
    var reader = new JsonReader(new StringReader(new String(utf8, StandardCharsets.UTF_8)));
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
