package io.outrigger.config.overlay;

import java.util.Locale;

/** A rule of an overlay file; {@code line} is the rule's first line, counted from 1. */
public record OverlayRule(String name, String file, int line, Mode mode) {
  /** Whether the rule or the control plane takes precedence for a field that both have set. */
  public enum Mode {
    /** The control plane's value takes precedence. */
    DEFAULT,
    /** The rule's value takes precedence. */
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
