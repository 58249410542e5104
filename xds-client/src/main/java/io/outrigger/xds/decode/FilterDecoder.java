package io.outrigger.xds.decode;

import io.outrigger.config.route.FilterConfig;
import java.util.Optional;

/**
 * Decodes the settings of one HTTP filter (A39). The package {@code dataplane.filter} runs filters.
 *
 * @param override the decoder of a route's settings, which replace the listener's settings (A39
 *     "Filter Config Overrides")
 */
record FilterDecoder(String typeName, Decoding filter, String overrideTypeName, Decoding override) {
  @FunctionalInterface
  interface Decoding {
    /** If a setting is illegal, adds an error and returns an empty {@code Optional}. */
    Optional<? extends FilterConfig> decode(TypedConfig config, FieldErrors errors);
  }
}
