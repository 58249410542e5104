package io.outrigger.observe.events;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.LogLines;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps the latest events of each kind, so that events of ten thousand lost endpoints do not evict
 * a NACK. Readers request the events after the last number that they have received. A slow reader
 * misses evicted events and detects this by gaps in the numbers. The log keeps no state per reader.
 */
@ControlConfined
public final class EventLog {
  static final int KEPT_OF_A_KIND = 200;

  private final ControlLoop control;
  private final Map<EventKind, ArrayDeque<Event>> byKind = new EnumMap<>(EventKind.class);
  private final Set<Runnable> listeners = new LinkedHashSet<>();
  private long lastSeq;

  /**
   * Events in the order of their numbers.
   *
   * @param next the number to send as {@code since} in the request for the next page
   */
  public record Page(List<Event> events, long next) {
    public Page {
      events = List.copyOf(events);
    }
  }

  public EventLog(ControlLoop control) {
    this.control = control;
  }

  /** Returns a limit for the log lines of one source of events. */
  public LogLines lines() {
    return new LogLines(control);
  }

  /** Adds an event of the whole process. */
  public void add(EventKind kind, String subject, String message) {
    add(kind, "", subject, message);
  }

  public void add(EventKind kind, String forward, String subject, String message) {
    control.checkInside();
    ArrayDeque<Event> kept = byKind.computeIfAbsent(kind, none -> new ArrayDeque<>());
    kept.add(new Event(++lastSeq, control.now(), kind, forward, subject, message));
    if (kept.size() > KEPT_OF_A_KIND) {
      kept.remove();
    }
    List.copyOf(listeners).forEach(Runnable::run);
  }

  /** Returns the oldest events after the given number, but no more than the given limit. */
  public Page after(long since, int limit) {
    control.checkInside();
    List<Event> newer = new ArrayList<>();
    for (ArrayDeque<Event> kept : byKind.values()) {
      if (!kept.isEmpty() && kept.getLast().seq() > since) {
        kept.stream().filter(event -> event.seq() > since).forEach(newer::add);
      }
    }
    newer.sort(Comparator.comparingLong(Event::seq));
    boolean isLast = newer.size() <= limit;
    List<Event> page = isLast ? newer : newer.subList(0, limit);
    long next = isLast ? Math.max(since, lastSeq) : page.get(page.size() - 1).seq();
    return new Page(page, next);
  }

  /** Runs the listener on the control loop after each event, until {@link #unlisten}. */
  public void listen(Runnable listener) {
    control.checkInside();
    listeners.add(listener);
  }

  public void unlisten(Runnable listener) {
    control.checkInside();
    listeners.remove(listener);
  }
}
