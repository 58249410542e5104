package io.outrigger.xds.transport;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.PathWatcher;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads certificate files again at an interval, off the control loop (A65 {@code
 * refresh_interval}). When a reading fails, the certificates read before stay in use. The reason of
 * a failure is logged, unless the last reading failed for the same reason.
 */
@ControlConfined
final class TlsReload {
  private static final Logger log = LoggerFactory.getLogger(TlsReload.class);
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

  private final String server;
  private final PathWatcher<String> watcher;
  private String problem = ""; // of the last reading; empty after a success

  /**
   * Makes a reload that does nothing before {@link #start}.
   *
   * @param reading the executor that reads the files, which may block
   * @param reload the task that reads the files; throws {@code IllegalArgumentException} with the
   *     reason when it fails
   */
  TlsReload(ControlLoop loop, Executor reading, String server, Duration interval, Runnable reload) {
    this.server = server;
    this.watcher =
        new PathWatcher<>(
            "certificate files of control plane " + server,
            loop,
            reading,
            interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval,
            () -> () -> read(reload),
            this::onRead);
  }

  void start() {
    watcher.startLater();
  }

  private static String read(Runnable reload) {
    try {
      reload.run();
      return "";
    } catch (IllegalArgumentException unusable) {
      return String.valueOf(unusable.getMessage());
    }
  }

  private void onRead(String failure) {
    if (failure.equals(problem)) {
      return;
    }
    problem = failure;
    if (failure.isEmpty()) {
      log.info("control plane {}: the certificate files are usable again", server);
    } else {
      log.warn(
          "control plane {}: certificate files not reloaded, the ones before stay in use: {}",
          server,
          failure);
    }
  }

  /** Returns the problem of the files; empty when there is none. */
  String problem() {
    return problem;
  }

  void close() {
    watcher.close();
  }
}
