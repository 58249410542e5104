package io.outrigger.program.testing.browser;

/**
 * What the user of a tab has before them.
 *
 * @param width of the page in CSS pixels
 */
public record Look(int width, int height, Theme theme) {
  /** What the user prefers. */
  public enum Theme {
    LIGHT,
    DARK
  }

  /** A wide window. */
  public static Look desk(Theme theme) {
    return new Look(1280, 900, theme);
  }

  /** A telephone. */
  public static Look hand(Theme theme) {
    return new Look(390, 844, theme);
  }
}
