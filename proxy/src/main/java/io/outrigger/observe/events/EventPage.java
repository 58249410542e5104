package io.outrigger.observe.events;

import io.outrigger.base.AnyThread;
import java.util.List;

/**
 * A page of events in the order of their numbers.
 *
 * @param events the events, the oldest first; starts with an {@link EventKind#GAP} when some
 *     requested events are no longer kept
 * @param next the number with which to request the next page
 * @param isLast whether the page ends with the newest event
 */
@AnyThread
public record EventPage(List<Event> events, long next, boolean isLast) {
  public EventPage {
    events = List.copyOf(events);
  }
}
