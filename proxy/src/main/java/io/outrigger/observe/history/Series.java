package io.outrigger.observe.history;

import io.outrigger.base.ControlConfined;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The minutes of one cluster or endpoint in which there were calls; the running one is open. */
@ControlConfined
final class Series {
  static final int KEPT = 60;

  private final ArrayDeque<Minute> minutes = new ArrayDeque<>(1);
  private @Nullable TrafficBucket running;

  void add(TrafficBucket cell) {
    if (running == null) {
      running = cell;
    } else {
      running.add(cell);
    }
  }

  /** The running minute is over. */
  void close(Instant begin, Instant oldest) {
    if (running != null) {
      minutes.add(running.summary(begin));
      running = null;
    }
    while (!minutes.isEmpty() && minutes.getFirst().begin().isBefore(oldest)) {
      minutes.remove();
    }
  }

  boolean isEmpty() {
    return minutes.isEmpty() && running == null;
  }

  /** The oldest first; the last one may still be running. */
  List<Minute> view(Instant begin) {
    List<Minute> view = new ArrayList<>(minutes);
    if (running != null) {
      view.add(running.summary(begin));
    }
    return List.copyOf(view);
  }
}
