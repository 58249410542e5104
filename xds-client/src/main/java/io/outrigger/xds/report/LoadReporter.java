package io.outrigger.xds.report;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.outrigger.base.Backoff;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LoadSource;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.decode.WireNode;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports load to one server while there is load to report (A27). Failures of reports do not affect
 * calls, and one failure per outage is logged.
 *
 * <pre>
 * OPEN    -> ASKED    on the first response; the backoff is reset
 * ASKED   -> ASKED    on each interval, with one report; on another response, with the new plan
 * OPEN    -> WAITING  on stream ended
 * ASKED   -> WAITING  on stream ended
 * WAITING -> OPEN     on backoff elapsed, measured from the start of the previous stream
 * ASKED   -> CLOSED   on the end of an interval, when no load is left to report
 * any     -> CLOSED   on close
 * </pre>
 *
 * <p>Counts are taken from the source only when the stream can send a message at once. The next
 * report therefore includes the counts that a blocked or ended stream did not send (A64-02).
 */
@ControlConfined
final class LoadReporter {
  private static final Logger log = LoggerFactory.getLogger(LoadReporter.class);

  private sealed interface Phase {
    record Open(Stream stream) implements Phase {}

    /**
     * The server has requested reports.
     *
     * @param sinceNanos the time of the last report or, before the first report, of the first
     *     response
     */
    record Asked(Stream stream, ReportPlan plan, long sinceNanos, TimerHandle next)
        implements Phase {}

    record Waiting(TimerHandle retry) implements Phase {}

    record Closed() implements Phase {}
  }

  private final ControlLoop control;
  private final XdsServer server;
  private final LrsTransport transport;
  private final WireNode node;
  private final LoadSource source;
  private final Runnable onDone;
  private final Backoff backoff;
  private Phase phase;
  private boolean isDue; // the interval has passed, but the stream was not ready
  private boolean isOutage; // a failure was logged, and no response has come since

  /**
   * Creates a reporter and opens a stream.
   *
   * @param onDone called when the reporter has closed because no load is left to report
   */
  LoadReporter(
      ControlLoop control,
      RandomSource random,
      XdsServer server,
      LrsTransport transport,
      WireNode node,
      LoadSource source,
      Runnable onDone) {
    this.control = control;
    this.server = server;
    this.transport = transport;
    this.node = node;
    this.source = source;
    this.onDone = onDone;
    this.backoff = new Backoff(random);
    this.phase = open();
  }

  /** Ends the stream. No further reports are sent. */
  void close() {
    Phase last = phase;
    phase = new Phase.Closed();
    if (last instanceof Phase.Open open) {
      open.stream().opened().close();
    } else if (last instanceof Phase.Asked asked) {
      asked.next().cancel();
      asked.stream().opened().close();
    } else if (last instanceof Phase.Waiting waiting) {
      waiting.retry().cancel();
    }
  }

  private Phase.Open open() {
    var stream = new Stream(control.nanoTime());
    stream.start();
    return new Phase.Open(stream);
  }

  private void onPlan(Stream stream, ReportPlan plan) {
    long since = control.nanoTime();
    if (phase instanceof Phase.Asked before) {
      before.next().cancel();
      since = before.sinceNanos();
    } else {
      backoff.reset();
      if (isOutage) {
        log.info("load reports to {}: accepted again", server.uri());
      }
      isOutage = false;
    }
    log.debug("load reports to {}: the server requests {}", server.uri(), plan);
    await(stream, plan, since);
  }

  /**
   * Starts the timer of the next report. The interval counts from the last report, even when the
   * server requests a new interval.
   */
  private void await(Stream stream, ReportPlan plan, long sinceNanos) {
    Duration spent = Duration.ofNanos(control.nanoTime() - sinceNanos);
    TimerHandle next = control.schedule(plan.interval().minus(spent), this::onInterval);
    phase = new Phase.Asked(stream, plan, sinceNanos, next);
  }

  private void onInterval() {
    isDue = true;
    reportIfDue();
  }

  private void reportIfDue() {
    if (!isDue || !(phase instanceof Phase.Asked asked) || !asked.stream().opened().isReady()) {
      return;
    }
    isDue = false;
    if (!source.servers().contains(server)) { // the last report is an interval old and has arrived
      close();
      onDone.run();
      return;
    }
    await(asked.stream(), asked.plan(), control.nanoTime());
    List<ClusterLoad> loads = source.take(server, asked.plan()::asksFor);
    // an empty report shows that the client is alive
    asked.stream().opened().send(LoadMessages.report(loads));
  }

  private void onEnded(Stream stream, RpcStatus reason) {
    if (phase instanceof Phase.Asked asked) {
      asked.next().cancel();
      log.debug("load reports to {}: stream ended: {}", server.uri(), reason);
    } else {
      onFailure(reason);
    }
    isDue = false;
    // As for ADS (A57-05), the backoff counts from the start of a stream to the start of the next,
    // so that a server that answers and closes the stream is not called in a tight loop.
    Duration spent = Duration.ofNanos(control.nanoTime() - stream.startedNanos);
    phase =
        new Phase.Waiting(
            control.schedule(
                backoff.next().minus(spent),
                () -> {
                  phase = open();
                }));
  }

  private void onFailure(RpcStatus reason) {
    if (!isOutage) {
      log.warn(
          "load reports to {}: not accepted, counts are kept: {}",
          server.uri(),
          reason.isOk() ? "it closed the stream without a response" : reason);
    } else {
      log.debug("load reports to {}: still not accepted: {}", server.uri(), reason);
    }
    isOutage = true;
  }

  /** One stream. The events of a stream are ignored unless the current phase has that stream. */
  private final class Stream implements LrsTransport.Listener {
    private final long startedNanos;
    private @Nullable ServerStream<LoadStatsRequest> stream;

    Stream(long startedNanos) {
      this.startedNanos = startedNanos;
    }

    void start() {
      ServerStream<LoadStatsRequest> opened = transport.open(this);
      stream = opened;
      opened.send(LoadMessages.hello(node));
      opened.requestNext();
    }

    @Override
    public void onReady() {
      if (isCurrent()) {
        reportIfDue();
      }
    }

    @Override
    public void onResponse(LoadStatsResponse response) {
      if (isCurrent()) {
        onPlan(this, ReportPlan.of(response));
        opened().requestNext();
      }
    }

    @Override
    public void onClosed(RpcStatus reason) {
      if (isCurrent()) {
        onEnded(this, reason);
      }
    }

    private boolean isCurrent() {
      return (phase instanceof Phase.Open open && open.stream() == this)
          || (phase instanceof Phase.Asked asked && asked.stream() == this);
    }

    ServerStream<LoadStatsRequest> opened() {
      if (stream == null) {
        throw new IllegalStateException("a stream of load reports is used before it is open");
      }
      return stream;
    }
  }
}
