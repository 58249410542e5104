package io.outrigger.xds.decode;

import java.util.LinkedHashMap;
import java.util.Map;

/** {@code Metadata} of a route, for people. */
final class MetadataDecoder {
  private static final int LONGEST = 1024;

  private MetadataDecoder() {}

  /** As JSON by the name of its filter; what is long, or has no JSON form, is left out. */
  static Map<String, String> decode(WireMetadata metadata) {
    if (metadata.filters().isEmpty()) {
      return Map.of();
    }
    Map<String, String> texts = new LinkedHashMap<>();
    metadata
        .filters()
        .forEach(
            (filter, struct) -> {
              String text = struct.json();
              if (!text.isEmpty() && text.length() <= LONGEST) {
                texts.put(filter, text);
              }
            });
    return texts;
  }
}
