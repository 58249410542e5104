package io.outrigger.lb.endpoint.weighted;

import static java.util.Objects.requireNonNull;

import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.OneTimer;
import io.outrigger.base.RandomSource;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.Transport;
import io.outrigger.lb.Transport.BackendMetricsStream;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one stream of load reports open while an endpoint has a connection (A51 "Out of Band
 * Metrics Reporting").
 *
 * <pre>
 * OFF     -> OPEN    on another transport or interval
 * OPEN    -> WAITING on the end of the stream; the back-off, which a report resets, counts from the
 *                    start of the stream, so a long-lived stream is replaced at once
 * OPEN    -> REFUSED when the backend does not implement such streams, until the transport changes
 * WAITING -> OPEN    when the back-off has elapsed
 * any     -> OFF     when there is no transport, or reports are not wanted
 * </pre>
 */
@ControlConfined
final class OutOfBandReports {
  private static final Logger log = LoggerFactory.getLogger(OutOfBandReports.class);

  private final ControlLoop control;
  private final String subject;
  private final Consumer<BackendMetrics> reports;
  private final Backoff backoff;
  private final OneTimer waiting;
  private @Nullable Transport transport;
  private @Nullable Duration interval;
  private @Nullable Stream open;

  OutOfBandReports(
      ControlLoop control, RandomSource random, String subject, Consumer<BackendMetrics> reports) {
    this.control = control;
    this.subject = subject;
    this.reports = reports;
    this.backoff = new Backoff(random);
    this.waiting = new OneTimer(control);
  }

  /**
   * Opens a stream of reports if the transport or the interval has changed.
   *
   * @param target the transport; null if there is no connection, or if no reports are needed
   * @param period the requested interval between reports
   */
  void subscribe(@Nullable Transport target, Duration period) {
    if (target == transport && period.equals(interval)) {
      return;
    }
    stop();
    transport = target;
    interval = period;
    if (target != null) {
      backoff.reset();
      open(target, period);
    }
  }

  void stop() {
    transport = null;
    interval = null;
    if (open != null) {
      requireNonNull(open.stream).close();
      open = null;
    }
    waiting.stop();
  }

  private void open(Transport target, Duration period) {
    var stream = new Stream(control.nanoTime());
    open = stream;
    stream.stream = target.openBackendMetrics(period, stream);
  }

  private final class Stream implements BackendMetricsStream.Listener {
    private final long startedNanos;
    private @Nullable BackendMetricsStream stream;
    private boolean reported;

    Stream(long startedNanos) {
      this.startedNanos = startedNanos;
    }

    @Override
    public void onReport(BackendMetrics report) {
      if (open == this) {
        reported = true;
        reports.accept(report);
      }
    }

    @Override
    public void onEnded(boolean unsupported) {
      Transport target = transport;
      Duration period = interval;
      if (open != this || target == null || period == null) {
        return; // this stream was closed
      }
      open = null;
      if (unsupported) {
        log.warn("{} does not support out-of-band load reports", subject);
        return;
      }
      if (reported) {
        backoff.reset();
      }
      Duration elapsed = Duration.ofNanos(control.nanoTime() - startedNanos);
      waiting.start(backoff.next().minus(elapsed), () -> open(target, period));
    }
  }
}
