package io.outrigger.xds.decode;

import io.outrigger.config.route.FilterConfig;
import java.util.Optional;

/**
 * The decoding half of an HTTP filter (A39): its settings in a listener's chain, and those that a
 * route has in their place. Each method returns empty when a setting is illegal, which is then in
 * the field errors. Listed in {@link FilterDecoders}; the other half is in {@code proxy.filter}.
 */
interface FilterDecoder {
  /** The full name of the message in {@code http_filters}. */
  String typeName();

  /** The class of its settings, by which the other half is found. */
  Class<? extends FilterConfig> settings();

  /** The settings of a listener's filter. */
  Optional<? extends FilterConfig> decode(TypedConfig config, FieldErrors errors);

  /** The full name of the message in {@code typed_per_filter_config}. */
  default String overrideTypeName() {
    return typeName();
  }

  /** The settings that replace those of the listener (A39 "Filter Config Overrides"). */
  default Optional<? extends FilterConfig> decodeOverride(TypedConfig config, FieldErrors errors) {
    return decode(config, errors);
  }
}
