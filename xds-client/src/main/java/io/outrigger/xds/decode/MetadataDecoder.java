package io.outrigger.xds.decode;

import java.util.LinkedHashMap;
import java.util.Map;

/** Converts the {@code Metadata} of a route to JSON for the explain page of the admin server. */
final class MetadataDecoder {
  private static final int MAX_LENGTH = 1024;

  private MetadataDecoder() {}

  /**
   * Returns the metadata of each filter as JSON, by the name of the filter. Metadata that is longer
   * than {@link #MAX_LENGTH} or has no JSON form is left out.
   */
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
              if (!text.isEmpty() && text.length() <= MAX_LENGTH) {
                texts.put(filter, text);
              }
            });
    return texts;
  }
}
