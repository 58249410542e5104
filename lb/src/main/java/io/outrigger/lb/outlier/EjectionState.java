package io.outrigger.lb.outlier;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.view.OutlierEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;

/**
 * Whether an endpoint may be used, and its ejection multiplier.
 *
 * <pre>
 * Admitted(n) -> Ejected(n + 1)   on eject
 * Admitted(n) -> Admitted(n - 1)  on a sweep without ejection, down to 0 (A50-31)
 * Ejected(n)  -> Admitted(n)      on the first sweep after the duration has elapsed
 * any         -> Admitted(0)      when detection is switched off (A50-45)
 * </pre>
 */
sealed interface EjectionState {
  EjectionState NEW = new Admitted(0);

  int multiplier();

  record Admitted(int multiplier) implements EjectionState {
    Ejected eject(long nowNanos, Instant now, OutlierEvent.Method method) {
      return new Ejected(nowNanos, now, multiplier + 1, method);
    }

    Admitted decayed() {
      return multiplier == 0 ? this : new Admitted(multiplier - 1);
    }
  }

  /**
   * @param startNanos the start of the sweep that ejected the endpoint, by the monotonic clock
   * @param startTime the start of this sweep by the wall clock, for people
   */
  record Ejected(long startNanos, Instant startTime, int multiplier, OutlierEvent.Method method)
      implements EjectionState {
    /** Returns the duration of the ejection under the current settings (A50-28, A50-30, A50-46). */
    Duration duration(OutlierDetection config) {
      Duration base = config.baseEjectionTime();
      Duration longest = Collections.max(List.of(base, config.maxEjectionTime()));
      boolean fits = multiplier <= longest.toNanos() / Math.max(1, base.toNanos());
      return fits ? base.multipliedBy(multiplier) : longest;
    }

    Instant until(OutlierDetection config) {
      return startTime.plus(duration(config));
    }

    /** Whether a sweep at the given time ends the ejection (A50-29). */
    boolean isOver(long nowNanos, OutlierDetection config) {
      return nowNanos - startNanos > duration(config).toNanos();
    }

    Admitted admit() {
      return new Admitted(multiplier);
    }
  }
}
