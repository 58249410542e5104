package io.outrigger.base;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Limits log lines of one kind to ten per minute, without repetitions, so that an error that occurs
 * again and again does not fill the disk.
 */
@ControlConfined
public final class LogLines {
  public static final Duration PERIOD = Duration.ofMinutes(1);
  public static final int MAX_LINES = 10;

  private final ControlLoop loop;
  private final Set<String> logged = new HashSet<>();
  private long periodEnd;
  private int lines;

  public LogLines(ControlLoop loop) {
    this.loop = loop;
    periodEnd = loop.nanoTime();
  }

  /** Whether to log a text, which then counts as logged. */
  public boolean shouldLog(String text) {
    loop.checkInside();
    if (loop.nanoTime() - periodEnd >= 0) {
      periodEnd = loop.nanoTime() + PERIOD.toNanos();
      logged.clear();
      lines = 0;
    }
    if (lines == MAX_LINES || !logged.add(text)) {
      return false;
    }
    lines++;
    return true;
  }

  /** Permits that the texts of this minute are logged again. */
  public void allowRepetitions() {
    logged.clear();
  }
}
