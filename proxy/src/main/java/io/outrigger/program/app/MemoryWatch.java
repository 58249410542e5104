package io.outrigger.program.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.memory.MemoryView;
import io.outrigger.observe.events.Event;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs, and records as events, how many connections were closed because memory was short. */
@ControlConfined
final class MemoryWatch {
  private static final Logger log = LoggerFactory.getLogger(MemoryWatch.class);

  /** The least time between two log lines, since an attack lasts long. */
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final ControlLoop control;
  private final MemoryGauge gauge;
  private final EventLog events;
  private List<MemoryView.EndedCount> reported = List.of();

  MemoryWatch(ControlLoop control, MemoryGauge gauge, EventLog events) {
    this.control = control;
    this.gauge = gauge;
    this.events = events;
  }

  void start() {
    control.checkInside();
    reported = gauge.now().ended();
    poll();
  }

  private void poll() {
    report(gauge.now());
    control.schedule(PERIOD, this::poll);
  }

  private void report(MemoryView now) {
    if (now.ended().equals(reported)) {
      return;
    }
    String ended =
        now.ended().stream()
            .map(count -> since(count))
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining(", "));
    reported = now.ended();
    String message =
        "%s ended for holding most of the memory; held %d bytes of %d on the heap, %d of %d outside"
            .formatted(
                ended,
                now.heapBytes(),
                now.limits().heapBytes(),
                now.directBytes(),
                now.limits().directBytes());
    log.warn("memory: {}", message);
    events.add(EventKind.MEMORY, "", "memory", new Event.Line(message));
  }

  /**
   * Returns text such as {@code 3 connections of apps}; empty when no connection was closed since
   * the last report.
   */
  private String since(MemoryView.EndedCount count) {
    long before =
        reported.stream()
            .filter(each -> each.side() == count.side())
            .mapToLong(MemoryView.EndedCount::count)
            .sum();
    long more = count.count() - before;
    String side = count.side().name().toLowerCase(Locale.ROOT);
    return more == 0 ? "" : "%d connection%s of %ss".formatted(more, more == 1 ? "" : "s", side);
  }
}
