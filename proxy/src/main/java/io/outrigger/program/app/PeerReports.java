package io.outrigger.program.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.dataplane.memory.MemoryView;
import io.outrigger.http2.PeerErrors;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports errors of peers, and connections that were ended because memory was short, in the log and
 * as events. Each kind of report is made at most once a second, because attacks cause many errors.
 */
@ControlConfined
final class PeerReports {
  private static final Logger log = LoggerFactory.getLogger(PeerReports.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final ControlLoop control;
  private final PeerErrors errors;
  private final Supplier<MemoryView> memory;
  private final EventLog events;
  private long reportedErrors;
  private List<MemoryView.EndedCount> reportedEnds = List.of();

  PeerReports(
      ControlLoop control, PeerErrors errors, Supplier<MemoryView> memory, EventLog events) {
    this.control = control;
    this.errors = errors;
    this.memory = memory;
    this.events = events;
  }

  void start() {
    control.checkInside();
    reportedEnds = memory.get().ended();
    control.schedule(PERIOD, this::poll);
  }

  private void poll() {
    errors.takeLast().ifPresent(this::onError);
    MemoryView now = memory.get();
    if (!now.ended().equals(reportedEnds)) {
      onEnded(now);
    }
    control.schedule(PERIOD, this::poll);
  }

  private void onError(String last) {
    long count = errors.count();
    long others = count - reportedErrors - 1;
    reportedErrors = count;
    String text = others > 0 ? last + " (and " + others + " more errors of peers)" : last;
    log.warn("{}", text);
    events.add(EventKind.PEER_ERROR, "peers", text);
  }

  private void onEnded(MemoryView now) {
    String ended =
        now.ended().stream()
            .filter(count -> since(count) > 0)
            .map(count -> Count.of(since(count), "connection") + " of " + count.side().word() + "s")
            .collect(Collectors.joining(", "));
    reportedEnds = now.ended();
    String text =
        "%s ended for holding most of the memory; held %d bytes of %d on the heap, %d of %d outside"
            .formatted(
                ended,
                now.heap().held(),
                now.heap().limit(),
                now.direct().held(),
                now.direct().limit());
    log.warn("memory: {}", text);
    events.add(EventKind.MEMORY, "memory", text);
  }

  /** Returns how many connections of apps, or of backends, were ended since the last report. */
  private long since(MemoryView.EndedCount count) {
    return count.count()
        - reportedEnds.stream()
            .filter(each -> each.side() == count.side())
            .mapToLong(MemoryView.EndedCount::count)
            .sum();
  }
}
