package io.outrigger.xds.overlay;

import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayRule;
import java.util.List;

/**
 * An overlay rule for clusters.
 *
 * @param names patterns for the names of clusters; at least one
 * @param alpn protocols to offer before {@code h2}; empty when the rule does not set them
 */
@AnyThread
public record ClusterRule(OverlayRule rule, List<Glob> names, Patch patch, List<String> alpn)
    implements Overlay.Rule {
  public ClusterRule {
    names = List.copyOf(names);
    alpn = List.copyOf(alpn);
  }

  public boolean isFor(String name) {
    return Glob.any(names, name);
  }
}
