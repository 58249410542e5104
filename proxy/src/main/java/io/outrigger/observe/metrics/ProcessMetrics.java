package io.outrigger.observe.metrics;

import static io.outrigger.observe.metrics.Instruments.add;
import static io.outrigger.observe.metrics.Instruments.counter;
import static io.outrigger.observe.metrics.Instruments.gauge;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.memory.MemoryView;
import io.outrigger.http2.PeerErrors;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The metrics of the process: memory by area, CPU time, lag of the event loops. All values are read
 * at the scrape. The names are those of Prometheus' client libraries.
 */
@AnyThread
final class ProcessMetrics {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String RESIDENT = "VmRSS:";
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int KIB = 1024;

  private ProcessMetrics() {}

  static void addTo(
      MetricSnapshots.Builder all, String version, MetricsView.ProcessFigures process) {
    all.metricSnapshot(build(version))
        .metricSnapshot(started().build())
        .metricSnapshot(processorTime().build())
        .metricSnapshot(memory(process).build())
        .metricSnapshot(buffers(process).build())
        .metricSnapshot(memoryHeld(process.memory()).build())
        .metricSnapshot(memoryLimit(process.memory()).build())
        .metricSnapshot(memoryEnded(process.memory()).build())
        .metricSnapshot(connectionsEnded(process).build())
        .metricSnapshot(lag(process).build())
        .metricSnapshot(bugs(process).build())
        .metricSnapshot(drainCut(process).build());
    residentBytes()
        .ifPresent(
            bytes -> {
              var resident =
                  gauge("process_resident_memory_bytes", "Resident memory.").unit(Unit.BYTES);
              add(resident, Labels.EMPTY, bytes);
              all.metricSnapshot(resident.build());
            });
  }

  private static InfoSnapshot build(String version) {
    Labels labels = Labels.of("version", version, "java", Runtime.version().toString());
    return InfoSnapshot.builder()
        .name("outrigger_build")
        .help("The versions that run.")
        .dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder().labels(labels).build())
        .build();
  }

  private static GaugeSnapshot.Builder started() {
    var started =
        gauge("process_start_time_seconds", "Start of the process since the epoch.")
            .unit(Unit.SECONDS);
    add(started, Labels.EMPTY, ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3);
    return started;
  }

  private static CounterSnapshot.Builder processorTime() {
    var spent =
        counter("process_cpu_seconds", "Processor time of user and system.").unit(Unit.SECONDS);
    Duration time = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    add(spent, Labels.EMPTY, time.toNanos() / NANOS_PER_SECOND);
    return spent;
  }

  /** Returns the memory in use. Direct buffers are added, since the JVM's own counts omit them. */
  private static GaugeSnapshot.Builder memory(MetricsView.ProcessFigures process) {
    var memory = ManagementFactory.getMemoryMXBean();
    var used = gauge("jvm_memory_used_bytes", "Memory in use, by area; direct is that of buffers.");
    add(used, Labels.of("area", "heap"), memory.getHeapMemoryUsage().getUsed());
    add(used, Labels.of("area", "nonheap"), memory.getNonHeapMemoryUsage().getUsed());
    add(used, Labels.of("area", "direct"), process.directBytes());
    return used;
  }

  private static GaugeSnapshot.Builder buffers(MetricsView.ProcessFigures process) {
    var held =
        gauge(
                "outrigger_buffer_memory_bytes",
                "What the allocator of buffers holds, those that wait for reuse included.")
            .unit(Unit.BYTES);
    add(held, Labels.EMPTY, process.bufferBytes());
    return held;
  }

  private static GaugeSnapshot.Builder memoryHeld(MemoryView memory) {
    var held =
        gauge(
                "outrigger_memory_held_bytes",
                "What peers make the process hold, as measured: heap after a collection, buffers.")
            .unit(Unit.BYTES);
    add(held, Labels.of("kind", "heap"), memory.heapBytes());
    add(held, Labels.of("kind", "direct"), memory.directBytes());
    return held;
  }

  private static GaugeSnapshot.Builder memoryLimit(MemoryView memory) {
    var limit =
        gauge(
                "outrigger_memory_limit_bytes",
                "What they may make it hold (--max-memory); the heaviest end before that.")
            .unit(Unit.BYTES);
    add(limit, Labels.of("kind", "heap"), memory.limits().heapBytes());
    add(limit, Labels.of("kind", "direct"), memory.limits().directBytes());
    add(limit, Labels.of("kind", "total"), memory.limits().totalBytes());
    return limit;
  }

  private static CounterSnapshot.Builder memoryEnded(MemoryView memory) {
    var ended =
        counter(
            "outrigger_memory_ended",
            "Connections that were ended because they held most of the memory.");
    for (MemoryView.EndedCount count : memory.ended()) {
      add(ended, Labels.of("side", word(count.side()), "what", "connection"), count.count());
    }
    return ended;
  }

  private static CounterSnapshot.Builder connectionsEnded(MetricsView.ProcessFigures process) {
    var ended =
        counter(
            "outrigger_connections_ended",
            "Connections that were ended for an error of their peer, floods included.");
    for (PeerErrors.EndedCount count : process.endedForErrors()) {
      String side = count.ofApp() ? "app" : "backend";
      add(ended, Labels.of("side", side, "error", count.error().name()), count.count());
    }
    return ended;
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static GaugeSnapshot.Builder lag(MetricsView.ProcessFigures process) {
    var lag =
        gauge(
                "outrigger_event_loop_lag_seconds",
                "How long a task of the last scrape waited for its event loop.")
            .unit(Unit.SECONDS);
    long[] nanos = process.loopLagNanos();
    for (int i = 0; i < nanos.length; i++) {
      add(lag, Labels.of("loop", Integer.toString(i)), nanos[i] / NANOS_PER_SECOND);
    }
    return lag;
  }

  private static CounterSnapshot.Builder bugs(MetricsView.ProcessFigures process) {
    var bugs =
        counter(
            "outrigger_control_loop_failures",
            "Tasks of the control loop that ended with an exception; each is a bug.");
    add(bugs, Labels.EMPTY, process.controlFailures());
    return bugs;
  }

  /**
   * Returns the number of requests that a drain has cut. At the end of a process the last OTLP
   * export delivers this value; a scrape rarely does.
   */
  private static CounterSnapshot.Builder drainCut(MetricsView.ProcessFigures process) {
    var cut =
        counter(
            "outrigger_drain_requests_cut",
            "Requests that a drain ended because --drain-timeout was over.");
    add(cut, Labels.EMPTY, process.drainCut());
    return cut;
  }

  /** Returns the resident memory; empty on systems other than Linux. */
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
