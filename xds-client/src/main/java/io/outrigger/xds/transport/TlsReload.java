package io.outrigger.xds.transport;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
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

  private final ControlLoop loop;
  private final Executor reading;
  private final String server;
  private final Runnable reload;
  private final Duration interval;
  private TimerHandle next = () -> {};
  private boolean closed;
  private String problem = ""; // of the last reading; empty after a success

  /**
   * Makes a reload that does nothing before {@link #start}.
   *
   * @param reading the executor that reads the files, which may block
   * @param reload the task that reads the files; throws {@code IllegalArgumentException} with the
   *     reason when it fails
   */
  TlsReload(ControlLoop loop, Executor reading, String server, Duration interval, Runnable reload) {
    this.loop = loop;
    this.reading = reading;
    this.server = server;
    this.reload = reload;
    this.interval = interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval;
  }

  void start() {
    loop.checkInside();
    if (!closed) {
      next = loop.schedule(interval, () -> reading.execute(this::read));
    }
  }

  private void read() {
    String failure = "";
    try {
      reload.run();
    } catch (IllegalArgumentException e) {
      failure = String.valueOf(e.getMessage());
    } catch (RuntimeException | Error bug) {
      log.error("control plane {}: reading of certificate files failed", server, bug);
      failure = "their content makes the reading fail; see the log";
    }
    String outcome = failure;
    loop.execute(
        () -> {
          logChange(outcome);
          start();
        });
  }

  private void logChange(String failure) {
    if (!failure.equals(problem)) {
      if (failure.isEmpty()) {
        log.info("control plane {}: the certificate files are usable again", server);
      } else {
        log.warn(
            "control plane {}: certificate files not reloaded, the ones before stay in use: {}",
            server,
            failure);
      }
    }
    problem = failure;
  }

  /** Returns the problem of the files; empty when there is none. */
  String problem() {
    loop.checkInside();
    return problem;
  }

  void close() {
    loop.checkInside();
    closed = true;
    next.cancel();
  }
}
