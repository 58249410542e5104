package io.outrigger.proxy.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.proxy.events.Event;
import io.outrigger.proxy.events.EventKind;
import io.outrigger.proxy.events.EventLog;
import io.outrigger.proxy.memory.BufferMemory;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.proxy.memory.MemoryView;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the memory that peers make the process hold: has idle buffers given up, and tells people
 * when connections were ended because they held most of it.
 */
@ControlConfined
final class MemoryWatch {
  private static final Logger log = LoggerFactory.getLogger(MemoryWatch.class);

  private static final Duration PERIOD = Duration.ofMillis(100);

  /** While less than half of the limit is held. */
  private static final Duration CALM_PERIOD = Duration.ofMillis(500);

  /** Between two lines about what was ended: an attack goes on for long. */
  private static final int LOOKS_PER_LINE = 10;

  private final ControlLoop control;
  private final MemoryLedger ledger;
  private final BufferMemory buffers;
  private final EventLog events;
  private List<MemoryView.EndedCount> told = List.of();
  private int looksToLine;

  MemoryWatch(ControlLoop control, MemoryLedger ledger, BufferMemory buffers, EventLog events) {
    this.control = control;
    this.ledger = ledger;
    this.buffers = buffers;
    this.events = events;
  }

  BufferMemory buffers() {
    return buffers;
  }

  void start() {
    control.checkInside();
    told = ledger.now().ended();
    look();
  }

  private void look() {
    buffers.trim(ledger);
    if (looksToLine > 0) {
      looksToLine--;
    } else {
      tell(ledger.now());
    }
    control.schedule(ledger.isShort() ? PERIOD : CALM_PERIOD, this::look);
  }

  private void tell(MemoryView now) {
    if (now.ended().equals(told)) {
      return;
    }
    String ended =
        now.ended().stream()
            .map(count -> since(count))
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining(", "));
    told = now.ended();
    looksToLine = LOOKS_PER_LINE;
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

  /** Such as {@code 3 connections of apps}. */
  private String since(MemoryView.EndedCount count) {
    long before =
        told.stream()
            .filter(c -> c.side() == count.side() && c.what() == count.what())
            .mapToLong(MemoryView.EndedCount::count)
            .sum();
    long more = count.count() - before;
    return more == 0
        ? ""
        : more
            + " "
            + word(count.what())
            + (more == 1 ? "" : "s")
            + " of "
            + word(count.side())
            + "s";
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
