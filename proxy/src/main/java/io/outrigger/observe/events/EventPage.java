package io.outrigger.observe.events;

import io.outrigger.base.AnyThread;
import java.util.List;

/**
 * Events in the order of their numbers.
 *
 * @param events the oldest first; begins with a {@link EventKind#GAP} when some that were asked for
 *     are no longer kept
 * @param next what to ask for after this page
 * @param isLast whether it ends with the newest event
 */
@AnyThread
public record EventPage(List<Event> events, long next, boolean isLast) {
  public EventPage {
    events = List.copyOf(events);
  }
}
