package io.outrigger.config.overlay;

import java.util.List;
import java.util.Optional;

/**
 * What an overlay did to one cluster or route.
 *
 * @param matched the rules whose conditions hold, in order
 * @param set the fields that are not the control plane's
 * @param leftOut the rules that would have made it invalid
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
   * @param field its path in the cluster or route action, such as {@code
   *     outlier_detection.interval}
   * @param value as proto3 JSON
   */
  public record Value(OverlayRule rule, String field, String value) {}

  /**
   * A rule that is left out as a whole.
   *
   * @param field what the reason is about; empty when it is about none alone
   */
  public record Omission(OverlayRule rule, String field, String reason) {}

  /** The rule that set {@code field}, or something in it. */
  public Optional<OverlayRule> origin(String field) {
    for (Value value : set) {
      if (value.field().equals(field) || value.field().startsWith(field + ".")) {
        return Optional.of(value.rule());
      }
    }
    return Optional.empty();
  }
}
