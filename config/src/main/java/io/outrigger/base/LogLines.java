package io.outrigger.base;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Limits the log lines of one kind to ten per minute, so that an error that occurs again and again
 * does not fill the disk.
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

  /**
   * Returns whether to log a text; if so, the text counts as logged. No text is logged twice in a
   * minute, unless {@link #allowRepetitions} is called.
   */
  public boolean shouldLog(String text) {
    beginPeriod();
    return lines < MAX_LINES && logged.add(text) && shouldLog(() -> {});
  }

  /** Whether to log a line. Calls {@code onLimit} when a minute's limit is first exceeded. */
  public boolean shouldLog(Runnable onLimit) {
    beginPeriod();
    if (lines == MAX_LINES) {
      onLimit.run();
    }
    lines = Math.min(lines + 1, MAX_LINES + 1);
    return lines <= MAX_LINES;
  }

  private void beginPeriod() {
    loop.checkInside();
    if (loop.nanoTime() - periodEnd >= 0) {
      periodEnd = loop.nanoTime() + PERIOD.toNanos();
      logged.clear();
      lines = 0;
    }
  }

  /**
   * Forgets the logged texts, so that each may be logged again within this minute. The limit of
   * lines per minute still applies.
   */
  public void allowRepetitions() {
    logged.clear();
  }
}
