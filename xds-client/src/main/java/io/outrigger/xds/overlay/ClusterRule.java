package io.outrigger.xds.overlay;

import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayRule;
import java.util.List;

/**
 * A rule for clusters.
 *
 * @param names which clusters; at least one
 * @param patch part of a {@code Cluster}
 * @param alpn protocols to offer before {@code h2}; empty when the rule says nothing of it
 */
@AnyThread
public record ClusterRule(OverlayRule rule, List<Glob> names, Patch patch, List<String> alpn) {
  public ClusterRule {
    names = List.copyOf(names);
    alpn = List.copyOf(alpn);
  }

  /** Whether it is for the cluster {@code name}. */
  public boolean isFor(String name) {
    for (Glob glob : names) {
      if (glob.matches(name)) {
        return true;
      }
    }
    return false;
  }
}
