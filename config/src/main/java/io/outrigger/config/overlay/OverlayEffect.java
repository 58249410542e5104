package io.outrigger.config.overlay;

import java.util.List;

/**
 * The effect of an overlay, which is a file of local policy, on one cluster or route.
 *
 * @param matched the rules that match, in the order of the overlay file
 * @param leftOut the rules that were skipped, because they would make the resource invalid
 */
public record OverlayEffect(List<OverlayRule> matched, List<Value> set, List<Omission> leftOut) {
  public static final OverlayEffect NONE = new OverlayEffect(List.of(), List.of(), List.of());

  public OverlayEffect {
    matched = List.copyOf(matched);
    set = List.copyOf(set);
    leftOut = List.copyOf(leftOut);
  }

  /**
   * A field that a rule has set.
   *
   * @param field the path of the field in the cluster or route action, such as {@code
   *     outlier_detection.interval}
   */
  public record Value(OverlayRule rule, String field, String value) {}

  /**
   * A matching rule that was skipped, because it would make the resource invalid.
   *
   * @param field the field that made the rule invalid; empty if no single field did
   */
  public record Omission(OverlayRule rule, String field, String reason) {}
}
