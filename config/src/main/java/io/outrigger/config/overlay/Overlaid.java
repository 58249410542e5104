package io.outrigger.config.overlay;

import java.util.function.BiConsumer;

/** A resource that local policy may change. */
public interface Overlaid {
  /**
   * Returns the resource as it applies to one target, because local policy may differ between
   * targets. A resource without routes is the same for all targets.
   *
   * @param target the configured target, such as {@code xds:///orders}
   */
  default Overlaid forTarget(String target) {
    return this;
  }

  /**
   * Calls {@code visitor} for each part of the resource that a rule matched.
   *
   * @param visitor receives the name of the part and the effect of local policy. The name is a
   *     cluster's name or {@code configuration/virtual host/route}; a route without a name is
   *     {@code #} and its index
   */
  void visitEffects(BiConsumer<String, OverlayEffect> visitor);
}
