package io.outrigger.xds.decode;

import io.outrigger.config.route.FilterConfig;
import java.util.Optional;

/**
 * Decodes the settings of one HTTP filter: the settings in the filter chain of a listener, and the
 * overrides for a route (A39). A decode method returns empty if a setting is illegal, and adds the
 * reason to the field errors. {@link FilterDecoders} lists all subclasses. The code that runs a
 * filter is in the package {@code dataplane.filter}.
 */
abstract class FilterDecoder {
  private final String typeName;
  private final Class<? extends FilterConfig> settings;

  /**
   * @param typeName the full type name of the message in {@code http_filters}
   * @param settings the class of the decoded settings, by which the proxy finds the code that runs
   *     the filter
   */
  FilterDecoder(String typeName, Class<? extends FilterConfig> settings) {
    this.typeName = typeName;
    this.settings = settings;
  }

  final String typeName() {
    return typeName;
  }

  final Class<? extends FilterConfig> settings() {
    return settings;
  }

  abstract Optional<? extends FilterConfig> decode(TypedConfig config, FieldErrors errors);

  String overrideTypeName() {
    return typeName();
  }

  /** Decodes the settings that replace those of the listener (A39 "Filter Config Overrides"). */
  Optional<? extends FilterConfig> decodeOverride(TypedConfig config, FieldErrors errors) {
    return decode(config, errors);
  }
}
