package io.outrigger.xds.kubernetes;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A list of EndpointSlices. Each slice is read alone, so that no tree of the whole list exists.
 *
 * @param version the version of the list, from which a watch continues
 */
record SliceList(String version, List<EndpointSlice> slices) {
  SliceList {
    slices = List.copyOf(slices);
  }

  static SliceList read(byte[] json) throws IOException {
    try (var reader =
        new JsonReader(
            new InputStreamReader(new ByteArrayInputStream(json), StandardCharsets.UTF_8))) {
      String version = "";
      List<EndpointSlice> slices = new ArrayList<>();
      reader.beginObject();
      while (reader.hasNext()) {
        String field = reader.nextName();
        if (field.equals("metadata") && reader.peek() == JsonToken.BEGIN_OBJECT) {
          version = ApiJson.text(object(reader), "resourceVersion");
        } else if (field.equals("items") && reader.peek() == JsonToken.BEGIN_ARRAY) {
          reader.beginArray();
          while (reader.hasNext()) {
            slices.add(EndpointSlice.read(object(reader)));
          }
          reader.endArray();
        } else {
          reader.skipValue();
        }
      }
      if (version.isEmpty()) { // such as the {} of a gateway, which is not an empty list
        throw new IOException("it has no resourceVersion");
      }
      return new SliceList(version, slices);
    } catch (IOException | JsonParseException | IllegalStateException notJson) {
      throw new IOException("its answer is no list of EndpointSlices", notJson);
    }
  }

  private static JsonObject object(JsonReader reader) {
    return JsonParser.parseReader(reader).getAsJsonObject();
  }
}
