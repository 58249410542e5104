package io.outrigger.config.overlay;

import java.util.List;

/**
 * The effect of an overlay on one cluster or route.
 *
 * @param matched in the order of the rules
 * @param leftOut the rules that were skipped because they would make the resource invalid
 */
public record OverlayEffect(List<OverlayRule> matched, List<Value> set, List<Omission> leftOut) {
  public static final OverlayEffect NONE = new OverlayEffect(List.of(), List.of(), List.of());

  public OverlayEffect {
    matched = List.copyOf(matched);
    set = List.copyOf(set);
    leftOut = List.copyOf(leftOut);
  }

  /**
   * A field whose value a rule has set.
   *
   * @param field the path in the cluster or route action, such as {@code
   *     outlier_detection.interval}
   */
  public record Value(OverlayRule rule, String field, String value) {}

  /**
   * A rule that was skipped as a whole.
   *
   * @param field the field that the reason concerns; empty when the reason concerns no single field
   */
  public record Omission(OverlayRule rule, String field, String reason) {}
}
