package io.outrigger.config.overlay;

/**
 * Which rule of which overlay.
 *
 * @param file as it was found
 * @param line where the rule begins, from 1
 */
public record OverlayRule(String name, String file, int line, Mode mode) {
  /** What a rule does with a field that the control plane has set. */
  public enum Mode {
    /** Leaves it. */
    DEFAULT("default"),
    /** Replaces it. */
    OVERRIDE("override");

    private final String label;

    Mode(String label) {
      this.label = label;
    }

    /** The word of the document. */
    public String label() {
      return label;
    }
  }

  /** Such as {@code rule longer-reports of /etc/overlay.yaml:7}. */
  @Override
  public String toString() {
    return "rule " + name + " of " + file + ":" + line;
  }
}
