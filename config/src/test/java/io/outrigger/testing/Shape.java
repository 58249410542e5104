package io.outrigger.testing;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * How a format nests its parts. A change of the shape leaves a document that is well formed and has
 * a part too much, too few, or a wrong one; changes of bytes seldom come so far.
 */
public enum Shape {
  /** No parts that are known here. */
  BYTES {
    @Override
    byte[] changed(byte[] document, Random random) {
      return document;
    }
  },
  /** X.690 DER; lengths stay right. */
  DER {
    @Override
    byte[] changed(byte[] document, Random random) {
      List<Object> elements = elements(document);
      return elements.isEmpty() ? document : encoded(changedList(elements, random));
    }
  },
  JSON {
    @Override
    byte[] changed(byte[] document, Random random) {
      JsonElement tree = JsonParser.parseString(new String(document, StandardCharsets.UTF_8));
      return changedJson(tree, random).toString().getBytes(StandardCharsets.UTF_8);
    }
  };

  /** {@code document}, which is a sample, with one part changed. */
  abstract byte[] changed(byte[] document, Random random);

  /** An element that is not taken apart, or one around others. */
  private record Element(int tag, Object content) {}

  private static final int CONSTRUCTED = 0x20;

  /** Empty where {@code bytes} are no elements one after the other. */
  private static List<Object> elements(byte[] bytes) {
    List<Object> all = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    while (in.remaining() > 1) {
      int tag = in.get() & 0xff;
      int length = in.get() & 0xff;
      int octets = length > 0x80 ? length - 0x80 : 0;
      if (octets > 2 || octets > in.remaining()) {
        return List.of();
      }
      length = octets > 0 ? 0 : length;
      for (int i = 0; i < octets; i++) {
        length = (length << 8) | (in.get() & 0xff);
      }
      if (length > in.remaining()) {
        return List.of();
      }
      byte[] content = new byte[length];
      in.get(content);
      boolean mayHold = (tag & CONSTRUCTED) != 0 || tag == 0x04;
      List<Object> within = mayHold ? elements(content) : List.of();
      all.add(new Element(tag, within.isEmpty() ? content : within));
    }
    return in.hasRemaining() ? List.of() : all;
  }

  private static byte[] encoded(Object content) {
    if (content instanceof byte[] bytes) {
      return bytes;
    }
    var all = new ByteArrayOutputStream();
    for (Object each : (List<?>) content) {
      byte[] within = encoded(((Element) each).content());
      all.write(((Element) each).tag());
      if (within.length < 0x80) {
        all.write(within.length);
      } else {
        all.writeBytes(new byte[] {(byte) 0x82, (byte) (within.length >> 8), (byte) within.length});
      }
      all.writeBytes(within);
    }
    return all.toByteArray();
  }

  private static List<Object> changedList(List<?> elements, Random random) {
    List<Object> copy = new ArrayList<>(elements);
    int at = random.nextInt(copy.size());
    Element chosen = (Element) copy.get(at);
    if (chosen.content() instanceof List<?> within && random.nextInt(4) > 0) {
      copy.set(at, new Element(chosen.tag(), changedList(within, random)));
      return copy;
    }
    switch (random.nextInt(5)) {
      case 0 -> copy.remove(at);
      case 1 -> copy.add(at, chosen);
      case 2 -> copy.set(at, new Element(chosen.tag(), new byte[0]));
      case 3 -> copy.set(at, new Element(random.nextInt(0x100), chosen.content()));
      default -> {
        byte[] content = encoded(chosen.content());
        random.nextBytes(content);
        copy.set(at, new Element(chosen.tag(), random.nextBoolean() ? content : grown(content)));
      }
    }
    return copy;
  }

  private static byte[] grown(byte[] content) {
    return Arrays.copyOf(content, content.length * 2 + 1);
  }

  private static JsonElement changedJson(JsonElement tree, Random random) {
    if (tree instanceof JsonObject object && !object.isEmpty() && random.nextInt(5) > 0) {
      JsonObject copy = object.deepCopy();
      List<Map.Entry<String, JsonElement>> all = List.copyOf(object.entrySet());
      Map.Entry<String, JsonElement> chosen = all.get(random.nextInt(all.size()));
      switch (random.nextInt(8)) {
        case 0 -> copy.remove(chosen.getKey());
        case 1 -> copy.add("\u202e\"\n", chosen.getValue());
        default -> copy.add(chosen.getKey(), changedJson(chosen.getValue(), random));
      }
      return copy;
    }
    if (tree instanceof JsonArray array && !array.isEmpty() && random.nextInt(5) > 0) {
      JsonArray copy = array.deepCopy();
      int at = random.nextInt(copy.size());
      switch (random.nextInt(6)) {
        case 0 -> copy.remove(at);
        case 1 -> copy.add(copy.get(at));
        default -> copy.set(at, changedJson(copy.get(at), random));
      }
      return copy;
    }
    return anything(random);
  }

  private static JsonElement anything(Random random) {
    List<JsonElement> all =
        List.of(
            JsonNull.INSTANCE,
            new JsonPrimitive(true),
            new JsonPrimitive(-1),
            new JsonPrimitive(1e300),
            new JsonPrimitive(Long.MAX_VALUE),
            new JsonPrimitive(""),
            new JsonPrimitive("a\u0000b\u202e"),
            new JsonPrimitive("http://[::1"),
            new JsonPrimitive("https://a:99999/"),
            new JsonPrimitive("5s"),
            new JsonPrimitive("-----BEGIN PRIVATE KEY-----"),
            new JsonObject(),
            new JsonArray(),
            JsonParser.parseString("[null]"),
            JsonParser.parseString("[[], {\"\": null}]"),
            JsonParser.parseString("{\"@type\": 5}"));
    return all.get(random.nextInt(all.size()));
  }
}
