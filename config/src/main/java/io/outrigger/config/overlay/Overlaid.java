package io.outrigger.config.overlay;

import java.util.function.BiConsumer;

/** A resource that local policy may change. */
public interface Overlaid {
  /**
   * Returns the version of the resource for one target, because local policy may differ between
   * targets. A resource without routes has only one version.
   *
   * @param target the configured target, such as {@code xds:///orders}
   */
  default Overlaid forTarget(String target) {
    return this;
  }

  /**
   * Calls {@code visitor} for each part of the resource that matches a rule.
   *
   * @param visitor receives the name of the part and the effect of local policy. The name of a part
   *     is a cluster's name or {@code configuration/virtual host/route}, where a route without a
   *     name is {@code #} and its index
   */
  void visitEffects(BiConsumer<String, OverlayEffect> visitor);
}
