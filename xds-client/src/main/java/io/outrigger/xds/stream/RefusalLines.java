package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Selects the rejected responses that get a log line, so that a control plane that repeats its
 * errors in a loop does not fill the disk. The first rejection starts a period of one minute.
 * Within the period, the same reason is logged again only after a response was accepted, and at
 * most ten lines are logged. At the end of the period, one line reports how many rejections were
 * not logged. Events and metrics include every rejection.
 */
@ControlConfined
final class RefusalLines {
  static final Duration PERIOD = Duration.ofMinutes(1);
  static final int MAX_LINES = 10;

  private final ControlLoop loop;
  private final LongConsumer onLeftOut;
  private final Set<String> loggedReasons = new HashSet<>();
  private boolean isOpen;
  private int lines;
  private long leftOut;

  /**
   * @param onLeftOut receives the number of rejections without a log line at the end of each
   *     minute, unless the number is zero
   */
  RefusalLines(ControlLoop loop, LongConsumer onLeftOut) {
    this.loop = loop;
    this.onLeftOut = onLeftOut;
  }

  /**
   * Whether a rejection with the given reason gets a log line. The class counts the rejections
   * without a log line.
   */
  boolean shouldLog(String reason) {
    loop.checkInside();
    if (!isOpen) {
      isOpen = true;
      var unused = loop.schedule(PERIOD, this::end);
    }
    if (lines == MAX_LINES || !loggedReasons.add(reason)) {
      leftOut++;
      return false;
    }
    lines++;
    return true;
  }

  /** Called when a response was accepted. A later rejection is a new error and gets a log line. */
  void onAccepted() {
    loggedReasons.clear();
  }

  private void end() {
    isOpen = false;
    lines = 0;
    loggedReasons.clear();
    if (leftOut > 0) {
      onLeftOut.accept(leftOut);
      leftOut = 0;
    }
  }
}
