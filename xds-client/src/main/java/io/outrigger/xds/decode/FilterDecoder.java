package io.outrigger.xds.decode;

import io.outrigger.config.route.FilterConfig;
import java.util.Optional;

/**
 * Decodes the settings of one HTTP filter (A39). The package {@code dataplane.filter} runs filters.
 *
 * @param override decodes the settings that replace the listener's settings on a route (A39 "Filter
 *     Config Overrides")
 */
record FilterDecoder(String typeName, Decoding filter, String overrideTypeName, Decoding override) {
  @FunctionalInterface
  interface Decoding {
    /** Returns empty if a setting is illegal, and adds the reason to {@code errors}. */
    Optional<? extends FilterConfig> decode(TypedConfig config, FieldErrors errors);
  }
}
