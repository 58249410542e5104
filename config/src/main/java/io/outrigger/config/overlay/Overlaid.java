package io.outrigger.config.overlay;

import java.util.function.BiConsumer;

/** A resource over which local policy may lie. */
public interface Overlaid {
  /**
   * What holds for a target, since local policy may be another there.
   *
   * @param target as configured, such as {@code xds:///orders}
   */
  Overlaid forTarget(String target);

  /**
   * Tells of each part that a rule matched.
   *
   * @param visitor takes the name of a cluster, or {@code configuration/virtual host/route}, where
   *     a route without a name is {@code #} and its index, and what was done to it
   */
  void visitEffects(BiConsumer<String, OverlayEffect> visitor);
}
