package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.Measuring;
import io.outrigger.dataplane.downstream.ListenerSettings;
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.forward.ForwardSettings;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.memory.MemoryPlan;
import io.outrigger.dataplane.upstream.UpstreamSettings;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.observe.access.AccessLog;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.observe.telemetry.Telemetry;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProgramVersion;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Translates the user's options into the settings of each component. */
@AnyThread
final class ComponentSettings {
  private static final int MIN_CONNECTION_WINDOW = 1 << 20;
  private static final int MIN_STREAM_WINDOW = 16 << 10;
  private static final int MAX_FIRST_STREAM_WINDOW = 256 << 10;

  /** The minimum keepalive time (A8), to which a shorter keepalive time is raised. */
  private static final Duration MIN_KEEPALIVE_TIME = Duration.ofSeconds(10);

  private static final long MAX_UNREAD_ADMIN_BYTES = 16 << 20;

  private ComponentSettings() {}

  static MemoryGauge memory(ProxyOptions options) {
    MemoryPlan plan = MemoryPlan.ofProcess();
    long total = options.limits().maxMemoryBytes();
    return MemoryGauge.ofProcess(
        new MemoryGauge.Limits(
            Math.min(plan.peerHeapBytes(), total), Math.min(plan.peerDirectBytes(), total), total));
  }

  static ForwardSettings forward(ProxyOptions options, Supplier<String> nodeId) {
    return calls(options, options.routing().authority(), options.measurement().calls(), nodeId);
  }

  /**
   * Returns the settings of calls to {@code --serve} addresses. The app receives the caller's
   * authority unchanged. The callers are not trusted, so the node id appears only in the error
   * messages for which A36 prescribes the id.
   */
  static ForwardSettings serving(ProxyOptions options) {
    var measuring = Measuring.ofServer(options.measurement().calls().methods());
    return calls(options, new AuthorityMode.Preserve(), measuring, () -> "");
  }

  private static ForwardSettings calls(
      ProxyOptions options, AuthorityMode authority, Measuring measuring, Supplier<String> nodeId) {
    return new ForwardSettings(
        authority,
        options.limits().maxQueuedRequests(),
        ForwardSettings.MAX_QUEUED_BYTES,
        measuring,
        nodeId);
  }

  /** Opens the access log, which the caller must close; empty when the log is off. */
  static Optional<AccessLog> accessLog(ProxyOptions options) throws StartFailure {
    if (options.accessLog().isEmpty()) {
      return Optional.empty();
    }
    if (!(options.accessLog().get() instanceof ProxyOptions.AccessLog.ToFile file)) {
      return Optional.of(AccessLog.toStdout());
    }
    try {
      return Optional.of(AccessLog.toFile(file.path()));
    } catch (IOException e) {
      throw new StartFailure(
          "--access-log: cannot write "
              + e.getMessage()
              + "; give a file that can be created and written",
          e);
    }
  }

  /**
   * Starts the export of traces and metrics over OTLP; empty when OTLP is off. The caller must
   * close the returned {@link Telemetry}.
   *
   * @throws InvalidInput when one of OpenTelemetry's environment variables cannot be used
   */
  static Optional<Telemetry> telemetry(ProxyOptions options, Supplier<MetricSnapshots> metrics)
      throws InvalidInput {
    if (options.measurement().otlp().isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          Telemetry.start(options.measurement().otlp().get(), ProgramVersion.text(), metrics));
    } catch (IllegalArgumentException e) {
      throw new InvalidInput("--otlp: " + e.getMessage());
    }
  }

  /**
   * Returns the limit for the unread reply bytes of all admin servers together, which is at most an
   * eighth of the limit for all buffers.
   */
  static AdminBudget unreadAnswers(MemoryGauge memory) {
    return new AdminBudget(Math.min(MAX_UNREAD_ADMIN_BYTES, memory.limits().directBytes() / 8));
  }

  static ListenerSettings listener(ProxyOptions options, MemoryGauge memory) {
    var limits = options.limits();
    return new ListenerSettings(
        limits.maxConnections(),
        http2(options, memory).withMaxConcurrentStreams(limits.maxConcurrentStreams()));
  }

  /**
   * Returns the HTTP/2 settings of connections to apps and to backends. The initial window of a
   * stream is 1/4096 of the buffer memory, so the windows of 1,024 new streams take a quarter of
   * that memory. The windows of one connection may grow to 1/16 of the buffer memory.
   */
  private static ConnectionSettings http2(ProxyOptions options, MemoryGauge memory) {
    ConnectionSettings defaults = ConnectionSettings.DEFAULT;
    long buffers = Math.min(memory.limits().directBytes(), memory.limits().totalBytes());
    int connection =
        (int) clamp(MIN_CONNECTION_WINDOW, buffers / 16, defaults.windows().connection());
    int stream = (int) clamp(MIN_STREAM_WINDOW, buffers / 4096, MAX_FIRST_STREAM_WINDOW);
    int widest = Math.min(defaults.windows().stream(), connection / 4);
    return defaults
        .withWindows(new ConnectionSettings.Windows(stream, widest, connection))
        .withTimeouts(
            new ConnectionSettings.Timeouts(
                ConnectionSettings.Timeouts.DEFAULT.handshake(),
                options.connections().frameTimeout(),
                options.connections().unreadTimeout()))
        .withMaxHeaderListBytes(options.limits().maxHeaderBytes())
        .withMemory(memory);
  }

  private static long clamp(long min, long value, long max) {
    return Math.max(min, Math.min(value, max));
  }

  static UpstreamSettings upstream(ProxyOptions options, MemoryGauge memory) {
    var connections = options.connections();
    Duration time = connections.keepaliveTime();
    Optional<UpstreamSettings.KeepAlive> keepAlive =
        time.isZero()
            ? Optional.empty()
            : Optional.of(
                new UpstreamSettings.KeepAlive(
                    time.compareTo(MIN_KEEPALIVE_TIME) < 0 ? MIN_KEEPALIVE_TIME : time,
                    connections.keepaliveTimeout()));
    return new UpstreamSettings(
        connections.connectTimeout(), keepAlive, connections.idleTimeout(), http2(options, memory));
  }
}
