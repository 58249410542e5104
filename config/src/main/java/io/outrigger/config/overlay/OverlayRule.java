package io.outrigger.config.overlay;

import java.util.Locale;

/** A rule of an overlay, which begins at {@code line}, counted from 1. */
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
