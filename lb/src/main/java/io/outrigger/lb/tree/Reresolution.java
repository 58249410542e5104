package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Forwards requests for re-resolution, at most one in 30 s; a request that comes earlier is
 * forwarded when the 30 s have elapsed (A37-05).
 */
@ControlConfined
final class Reresolution {
  static final Duration INTERVAL = Duration.ofSeconds(30); // A37-05

  private final ControlLoop control;
  private final Runnable request;
  private @Nullable TimerHandle pause;
  private boolean wanted;

  Reresolution(ControlLoop control, Runnable request) {
    this.control = control;
    this.request = request;
  }

  void want() {
    if (pause != null) {
      wanted = true;
      return;
    }
    wanted = false;
    pause = control.schedule(INTERVAL, this::onPauseOver);
    request.run();
  }

  void close() {
    if (pause != null) {
      pause.cancel();
    }
    wanted = false;
  }

  private void onPauseOver() {
    pause = null;
    if (wanted) {
      want();
    }
  }
}
