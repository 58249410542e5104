package io.outrigger.config.overlay;

import java.util.function.BiConsumer;

/** A resource that local policy may change. */
public interface Overlaid {
  /**
   * Returns the resource as local policy changes it for one target, such as {@code xds:///orders}.
   * A resource without routes is the same for all targets.
   */
  default Overlaid forTarget(String target) {
    return this;
  }

  /**
   * Calls {@code visitor} for each cluster or route that matches a rule of local policy. The rules
   * of single targets count only in the result of {@link #forTarget}.
   *
   * @param visitor receives the name of the cluster or route and the effect of local policy. A
   *     route is named {@code configuration/virtual host/route}; {@code #} and the index replace an
   *     empty route name
   */
  void visitEffects(BiConsumer<String, OverlayEffect> visitor);
}
