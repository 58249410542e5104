package io.outrigger.xds.decode;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code Metadata} of a route, for people; never an error. */
final class MetadataDecoder {
  private static final int LONGEST = 1024;
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();

  private MetadataDecoder() {}

  /** As JSON by the name of its filter; what is long is left out. */
  static Map<String, String> decode(Metadata metadata) {
    if (metadata.getFilterMetadataCount() == 0) {
      return Map.of();
    }
    Map<String, String> texts = new LinkedHashMap<>();
    metadata
        .getFilterMetadataMap()
        .forEach(
            (filter, struct) -> {
              String text = text(struct);
              if (!text.isEmpty() && text.length() <= LONGEST) {
                texts.put(filter, text);
              }
            });
    return texts;
  }

  private static String text(Struct struct) {
    try {
      return PRINTER.print(struct);
    } catch (InvalidProtocolBufferException noJson) {
      return ""; // an infinite number
    }
  }
}
