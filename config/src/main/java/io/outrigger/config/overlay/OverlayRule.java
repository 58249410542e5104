package io.outrigger.config.overlay;

import java.util.Locale;

/**
 * The name of one rule of an overlay, its position and its mode.
 *
 * @param line the line at which the rule begins, from 1
 */
public record OverlayRule(String name, String file, int line, Mode mode) {
  /** The precedence of the rule over the control plane for a field that both have set. */
  public enum Mode {
    /** The rule keeps the control plane's value. */
    DEFAULT,
    /** The rule replaces the control plane's value. */
    OVERRIDE;

    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public String toString() {
    return "rule " + name + " of " + file + ":" + line;
  }
}
