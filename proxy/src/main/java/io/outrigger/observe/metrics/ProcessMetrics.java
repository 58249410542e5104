package io.outrigger.observe.metrics;

import io.outrigger.dataplane.memory.MemoryView;
import io.outrigger.http2.PeerErrors;
import io.outrigger.observe.metrics.Instruments.Points;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The metrics of the process: memory by area, CPU time, lag of the event loops. All values are read
 * at the scrape. Metrics that Prometheus' client libraries also define have the same names.
 */
final class ProcessMetrics {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String RESIDENT = "VmRSS:";
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int KIB = 1024;

  private ProcessMetrics() {}

  static void addTo(String version, MetricsView.ProcessFigures process, Instruments all) {
    all.add(build(version));
    all.gauge("process_start_time_seconds", "Start of the process since the epoch.")
        .add(Labels.EMPTY, ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3);
    Duration spent = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    all.counter("process_cpu_seconds", "Processor time of user and system.")
        .add(Labels.EMPTY, spent.toNanos() / NANOS_PER_SECOND);
    memory(process, all);
    Points ended =
        all.counter(
            "outrigger_connections_ended",
            "Connections that were closed for an error of their peer, floods included.");
    for (PeerErrors.EndedCount count : process.endedForErrors()) {
      ended.add(
          Labels.of("side", count.side().word(), "error", count.error().name()), count.count());
    }
    Points lag =
        all.gauge(
            "outrigger_event_loop_lag_seconds",
            "Time that a task of the last scrape waited for its event loop.");
    List<Long> nanos = process.loopLagNanos();
    for (int i = 0; i < nanos.size(); i++) {
      lag.add(Labels.of("loop", Integer.toString(i)), nanos.get(i) / NANOS_PER_SECOND);
    }
    all.counter(
            "outrigger_control_loop_failures",
            "Tasks of the control loop that ended with an exception; each is a bug.")
        .add(Labels.EMPTY, process.controlFailures());
    Points unaudited =
        all.counter(
            "outrigger_audit_log_dropped",
            "Lines that are missing from the audit log, which could not be written fast enough.");
    process.lostAuditLines().ifPresent(lost -> unaudited.add(Labels.EMPTY, lost));
    // The process ends after it has cut requests, so usually only the last OTLP export has this
    // count.
    all.counter(
            "outrigger_drain_requests_cut",
            "Open requests that were cut when --drain-timeout was over.")
        .add(Labels.EMPTY, process.drainCut());
    residentBytes()
        .ifPresent(
            bytes ->
                all.gauge("process_resident_memory_bytes", "Resident memory.")
                    .add(Labels.EMPTY, bytes));
  }

  private static InfoSnapshot build(String version) {
    Labels labels = Labels.of("version", version, "java", Runtime.version().toString());
    return InfoSnapshot.builder()
        .name("outrigger_build")
        .help("The versions that run.")
        .dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder().labels(labels).build())
        .build();
  }

  /** Adds the metrics of memory in use. The JVM's own figures omit direct buffers. */
  private static void memory(MetricsView.ProcessFigures process, Instruments all) {
    var jvm = ManagementFactory.getMemoryMXBean();
    Points used =
        all.gauge("jvm_memory_used_bytes", "Memory in use, by area; direct is that of buffers.");
    used.add(Labels.of("area", "heap"), jvm.getHeapMemoryUsage().getUsed());
    used.add(Labels.of("area", "nonheap"), jvm.getNonHeapMemoryUsage().getUsed());
    MemoryView memory = process.memory();
    used.add(Labels.of("area", "direct"), memory.direct().held());
    Points held =
        all.gauge(
            "outrigger_memory_held_bytes",
            "Memory that the process uses for peers: heap after a collection, and buffers.");
    held.add(Labels.of("kind", "heap"), memory.heap().held());
    held.add(Labels.of("kind", "direct"), memory.direct().held());
    Points limit =
        all.gauge("outrigger_memory_limit_bytes", "Limit of the memory for peers (--max-memory).");
    limit.add(Labels.of("kind", "heap"), memory.heap().limit());
    limit.add(Labels.of("kind", "direct"), memory.direct().limit());
    limit.add(Labels.of("kind", "total"), memory.total().limit());
    Points ended =
        all.counter(
            "outrigger_memory_ended",
            "Connections that were closed because they used most memory.");
    for (MemoryView.EndedCount count : memory.ended()) {
      ended.add(Labels.of("side", count.side().word(), "what", "connection"), count.count());
    }
  }

  /** Returns the resident memory in bytes; empty on systems other than Linux. */
  private static OptionalLong residentBytes() {
    try (Stream<String> lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith(RESIDENT))
          .map(line -> line.substring(RESIDENT.length()).replace("kB", "").trim())
          .mapToLong(kib -> Long.parseLong(kib) * KIB)
          .findFirst();
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }
}
