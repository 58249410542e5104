package io.outrigger.config.overlay;

import java.util.List;

/**
 * The effect of an overlay on one cluster or route.
 *
 * @param matched the rules that match, in the order of the overlay
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
   * A rule of which no field was applied.
   *
   * @param field the field with the problem; empty if the problem is not in a single field
   */
  public record Omission(OverlayRule rule, String field, String reason) {}
}
