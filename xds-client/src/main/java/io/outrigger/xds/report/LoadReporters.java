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
import io.outrigger.xds.decode.FieldErrors;
import io.outrigger.xds.decode.ProtoDurations;
import io.outrigger.xds.decode.WireNode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports load to each server for which load is counted (A71-09). */
@ControlConfined
public final class LoadReporters {
  private static final Logger log = LoggerFactory.getLogger(LoadReporters.class);

  private final ControlLoop control;
  private final RandomSource random;
  private final WireNode node;
  private final Function<XdsServer, LrsTransport> transports;
  private final LoadSource source;
  private final Map<XdsServer, Reporter> reporters = new LinkedHashMap<>();
  private boolean closed;

  public LoadReporters(
      ControlLoop control,
      RandomSource random,
      WireNode node,
      Function<XdsServer, LrsTransport> transports,
      LoadSource source) {
    control.checkInside();
    this.control = control;
    this.random = random;
    this.node = node;
    this.transports = transports;
    this.source = source;
    source.onServersChanged(() -> control.execute(this::update)); // sees the new servers
    update();
  }

  public void close() {
    closed = true;
    reporters.values().forEach(Reporter::close);
    reporters.clear();
  }

  private void update() {
    if (!closed) {
      source.servers().forEach(server -> reporters.computeIfAbsent(server, Reporter::new));
    }
  }

  /**
   * Reports load to one server while there is load to report (A27). One failure per outage is
   * logged.
   *
   * <pre>
   * OPEN      -> REPORTING  on the first response; the backoff is reset
   * REPORTING -> REPORTING  on each interval, with one report; on another response, with a new plan
   * OPEN, REPORTING -> WAITING  on stream ended
   * WAITING   -> OPEN       on backoff elapsed, measured from the start of the previous stream
   * REPORTING -> CLOSED     on the end of an interval, if there is no more load to report
   * any       -> CLOSED     on close
   * </pre>
   *
   * <p>Counts are taken from the {@link LoadSource} only when the stream can send a message
   * immediately. While the stream is blocked, the counts remain in the {@code LoadSource} (A64-02).
   */
  private final class Reporter {
    private final XdsServer server;
    private final LrsTransport transport;
    private final Backoff backoff = new Backoff(random);
    private @Nullable Stream current; // null while waiting, and when closed
    private TimerHandle retry = () -> {};
    private boolean isOutage; // from a logged failure to the next response

    Reporter(XdsServer server) {
      this.server = server;
      this.transport = transports.apply(server);
      open();
    }

    private void open() {
      current = new Stream();
      current.start();
    }

    void close() {
      Stream last = current;
      current = null;
      retry.cancel();
      if (last != null) {
        last.next.cancel();
        last.stream.close();
      }
    }

    private void onAnswered() {
      backoff.reset();
      if (isOutage) {
        log.info("load reports to {}: accepted again", server.uri());
      }
      isOutage = false;
    }

    private void onEnded(Stream stream, RpcStatus reason) {
      current = null;
      if (stream.plan == null) {
        onFailure(reason);
      } else {
        log.debug("load reports to {}: stream ended: {}", server.uri(), reason);
      }
      // As for ADS (A57-05), the back-off counts from the start of the stream.
      Duration delay = backoff.next().minusNanos(control.nanoTime() - stream.startedNanos);
      retry = control.schedule(delay, this::open);
    }

    private void onFailure(RpcStatus reason) {
      if (!isOutage) {
        log.warn(
            "load reports to {}: not accepted, counts are kept: {}",
            server.uri(),
            reason.isOk() ? "it closed the stream without a response" : reason);
      }
      isOutage = true;
    }

    /** One stream. Events of a stream are ignored unless the stream is {@code current}. */
    private final class Stream implements LrsTransport.Listener {
      private final long startedNanos = control.nanoTime();
      private final ServerStream<LoadStatsRequest> stream = transport.open(this);
      private @Nullable ReportPlan plan; // null before the first response
      private long sinceNanos; // the time of the last report, or of the first response
      private TimerHandle next = () -> {};
      private boolean isDue; // the interval has passed, but the stream was not ready

      void start() {
        stream.send(LoadMessages.first(node));
        stream.requestNext();
      }

      @Override
      public void onReady() {
        if (current == this) {
          reportIfDue();
        }
      }

      @Override
      public void onResponse(LoadStatsResponse response) {
        if (current != this) {
          return;
        }
        if (plan == null) {
          sinceNanos = control.nanoTime();
          onAnswered();
        }
        plan = ReportPlan.of(response);
        log.debug("load reports to {}: the server requests {}", server.uri(), plan);
        scheduleReport(plan);
        stream.requestNext();
      }

      @Override
      public void onClosed(RpcStatus reason) {
        if (current == this) {
          next.cancel();
          onEnded(this, reason);
        }
      }

      /** The interval counts from the last report, even if the server requests a new interval. */
      private void scheduleReport(ReportPlan requested) {
        next.cancel();
        Duration spent = Duration.ofNanos(control.nanoTime() - sinceNanos);
        next = control.schedule(requested.interval().minus(spent), this::onInterval);
      }

      private void onInterval() {
        isDue = true;
        reportIfDue();
      }

      private void reportIfDue() {
        ReportPlan requested = plan;
        if (!isDue || requested == null || !stream.isReady()) {
          return;
        }
        isDue = false;
        if (!source.servers().contains(server)) { // the server has received the last report
          close();
          reporters.remove(server);
          return;
        }
        sinceNanos = control.nanoTime();
        scheduleReport(requested);
        List<ClusterLoad> loads = source.take(server, requested::includes);
        // An empty report shows that the client is alive.
        stream.send(LoadMessages.report(loads));
      }
    }
  }

  /**
   * The reports that a server requests.
   *
   * @param interval at least {@link #MIN_INTERVAL}
   * @param all whether every cluster is reported
   * @param clusters the names of the reported clusters; unused if every cluster is reported
   */
  record ReportPlan(Duration interval, boolean all, Set<String> clusters) {
    /** Shorter, absent and invalid report intervals are raised to 1 s, as in C-core. */
    static final Duration MIN_INTERVAL = Duration.ofSeconds(1); // decision xds-0002

    ReportPlan {
      clusters = Set.copyOf(clusters);
    }

    static ReportPlan of(LoadStatsResponse response) {
      Duration interval =
          ProtoDurations.decode(response.getLoadReportingInterval(), FieldErrors.ofResource())
              .filter(requested -> requested.compareTo(MIN_INTERVAL) > 0)
              .orElse(MIN_INTERVAL);
      return new ReportPlan(
          interval, response.getSendAllClusters(), Set.copyOf(response.getClustersList()));
    }

    boolean includes(String cluster) {
      return all || clusters.contains(cluster);
    }
  }
}
