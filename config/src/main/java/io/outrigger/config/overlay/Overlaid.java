package io.outrigger.config.overlay;

import java.util.function.BiConsumer;

/** A resource that local policy may change. */
public interface Overlaid {
  /**
   * Returns the version of the resource for one target, such as {@code xds:///orders}. A resource
   * without routes has only one version.
   */
  default Overlaid forTarget(String target) {
    return this;
  }

  /**
   * Calls {@code visitor} for each part of the resource that matches a rule.
   *
   * @param visitor receives the name of the part and the effect of local policy. The name is a
   *     cluster's name, or {@code configuration/virtual host/route} with {@code #} and the index
   *     for a route without a name
   */
  void visitEffects(BiConsumer<String, OverlayEffect> visitor);
}
