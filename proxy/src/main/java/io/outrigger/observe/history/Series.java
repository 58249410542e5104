package io.outrigger.observe.history;

import io.outrigger.base.ControlConfined;
import io.outrigger.observe.history.TrafficView.Minute;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The minutes with calls of one cluster or endpoint, including the current minute. */
@ControlConfined
final class Series {
  static final int KEPT = 60;

  private final ArrayDeque<Minute> minutes = new ArrayDeque<>(1);
  private @Nullable TrafficBucket current;

  void add(TrafficBucket bucket) {
    if (current == null) {
      current = bucket;
    } else {
      current.add(bucket);
    }
  }

  /**
   * Closes the current minute, which started at {@code begin}, and removes minutes before {@code
   * oldest}.
   */
  void close(Instant begin, Instant oldest) {
    if (current != null) {
      minutes.add(current.summary(begin));
      current = null;
    }
    while (!minutes.isEmpty() && minutes.getFirst().time().isBefore(oldest)) {
      minutes.remove();
    }
  }

  boolean isEmpty() {
    return minutes.isEmpty() && current == null;
  }

  /**
   * Returns the minutes, the oldest first. The last one may be the current minute, which started at
   * {@code begin}.
   */
  List<Minute> view(Instant begin) {
    List<Minute> view = new ArrayList<>(minutes);
    if (current != null) {
      view.add(current.summary(begin));
    }
    return List.copyOf(view);
  }
}
