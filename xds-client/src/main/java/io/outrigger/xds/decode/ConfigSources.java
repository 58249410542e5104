package io.outrigger.xds.decode;

import io.envoyproxy.envoy.config.core.v3.ConfigSource;

/**
 * Checks config sources: a resource may refer only to resources of the server that sent it (A27,
 * A30).
 */
final class ConfigSources {
  private ConfigSources() {}

  /** Adds an error unless {@code source} is {@code ads} or {@code self}. */
  static void requireAdsOrSelf(boolean present, ConfigSource source, FieldErrors errors) {
    if (!present) {
      errors.add("is missing; must be ads or self");
    } else if (!source.hasAds() && !source.hasSelf()) {
      errors.add(described(source) + "; must be ads or self");
    }
  }

  static String described(ConfigSource source) {
    var which = source.getConfigSourceSpecifierCase();
    return which == ConfigSource.ConfigSourceSpecifierCase.CONFIGSOURCESPECIFIER_NOT_SET
        ? "names no source"
        : FieldErrors.fieldOf(which) + " is not supported";
  }
}
