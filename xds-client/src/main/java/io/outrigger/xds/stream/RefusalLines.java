package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Which refusals get a line of their own in the log, so that a control plane which sends its
 * mistakes in a loop does not fill a disk. The first one opens a minute; within it a reason is told
 * again only after something was accepted, and ten are told at most; at its end the rest is told as
 * a number. Events and metrics have all of them.
 */
@ControlConfined
final class RefusalLines {
  static final Duration PERIOD = Duration.ofMinutes(1);
  static final int MAX_LINES = 10;

  private final ControlLoop loop;
  private final LongConsumer onLeftOut;
  private final Set<String> told = new HashSet<>();
  private boolean isOpen;
  private int lines;
  private long leftOut;

  /**
   * @param onLeftOut is told at the end of a minute how many were left out, unless there were none
   */
  RefusalLines(ControlLoop loop, LongConsumer onLeftOut) {
    this.loop = loop;
    this.onLeftOut = onLeftOut;
  }

  /** Whether a refusal for {@code reason} is to be told; when not, it is counted. */
  boolean isTold(String reason) {
    loop.checkInside();
    if (!isOpen) {
      isOpen = true;
      var unused = loop.schedule(PERIOD, this::end);
    }
    if (lines == MAX_LINES || !told.add(reason)) {
      leftOut++;
      return false;
    }
    lines++;
    return true;
  }

  /** A response was accepted: who refuses the next one tells of a new mistake. */
  void onAccepted() {
    told.clear();
  }

  private void end() {
    isOpen = false;
    lines = 0;
    told.clear();
    if (leftOut > 0) {
      onLeftOut.accept(leftOut);
      leftOut = 0;
    }
  }
}
