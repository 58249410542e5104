package io.outrigger.xds.decode;

import io.outrigger.config.route.FilterConfig;
import java.util.Optional;

/**
 * Decodes the settings of one HTTP filter: the settings in the filter chain of a listener, and the
 * overrides for a route (A39). A decode method returns empty if a setting is illegal, and adds the
 * reason to the field errors. {@link FilterDecoders} lists all implementations. The code that runs
 * a filter is in the package {@code dataplane.filter}.
 */
interface FilterDecoder {
  /** The full type name of the message in {@code http_filters}. */
  String typeName();

  /**
   * The class of the decoded settings. The proxy uses this class to find the code that runs the
   * filter.
   */
  Class<? extends FilterConfig> settings();

  Optional<? extends FilterConfig> decode(TypedConfig config, FieldErrors errors);

  /** The full type name of the message in {@code typed_per_filter_config}. */
  default String overrideTypeName() {
    return typeName();
  }

  /** Decodes the settings that replace those of the listener (A39 "Filter Config Overrides"). */
  default Optional<? extends FilterConfig> decodeOverride(TypedConfig config, FieldErrors errors) {
    return decode(config, errors);
  }
}
