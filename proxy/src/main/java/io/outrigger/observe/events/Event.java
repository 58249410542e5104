package io.outrigger.observe.events;

import io.outrigger.base.PlainText;
import java.time.Instant;

/**
 * One event of the log.
 *
 * @param seq the sequence number, which counts up from 1 and is never reused
 * @param forward the forward to which the event belongs; empty for events of the whole process
 * @param subject the object of the event: a cluster, an endpoint, a control plane or a resource
 *     type
 */
public record Event(
    long seq, Instant time, EventKind kind, String forward, String subject, String message) {
  /** The maximum length of an event's subject or message; longer texts are shortened. */
  static final int MAX_TEXT = 4096;

  public Event {
    subject = PlainText.shortened(subject, MAX_TEXT);
    message = PlainText.shortened(message, MAX_TEXT);
  }
}
