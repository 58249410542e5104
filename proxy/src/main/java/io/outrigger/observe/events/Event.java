package io.outrigger.observe.events;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.stream.AdsObserver;
import java.time.Instant;
import java.util.List;

/**
 * One event of the log.
 *
 * @param seq the sequence number, which counts up from 1 and is never reused
 * @param forward the forward to which the event belongs; empty for events of the whole process
 * @param subject the object of the event: a cluster, an endpoint, a control plane or a resource
 *     type
 */
@AnyThread
public record Event(
    long seq, Instant time, EventKind kind, String forward, String subject, Cause cause) {
  /**
   * The maximum length of a text. Some texts come from a control plane and may be of any length.
   */
  public static final int MAX_TEXT = 4096;

  public Event {
    subject = shortened(subject);
  }

  public static String shortened(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
  }

  /** The details of an event; formatted only when the event is read. */
  public sealed interface Cause {
    /** The number of bytes of the resources that this object retains. */
    default long heldBytes() {
      return 0;
    }

    /** Returns a copy without the resources. */
    default Cause light() {
      return this;
    }
  }

  public record Line(String text) implements Cause {
    public Line {
      text = shortened(text);
    }
  }

  public record Balancing(LbEvent event) implements Cause {}

  /**
   * An ACK or NACK for a response of a control plane.
   *
   * @param refusal the reason of a NACK; empty for an ACK
   */
  public record Answer(String server, AdsObserver.Response response, String refusal)
      implements Cause {
    public Answer {
      refusal = shortened(refusal);
    }

    @Override
    public long heldBytes() {
      long bytes = 0;
      for (AdsObserver.Change change : response.changes()) {
        bytes += change.before().map(Answer::size).orElse(0L) + size(change.after());
      }
      return bytes;
    }

    private static long size(RawResource resource) {
      return resource.bytes().length;
    }

    @Override
    public Cause light() {
      return new Answer(
          server,
          new AdsObserver.Response(
              response.type(),
              response.version(),
              response.valid(),
              response.invalid(),
              List.of(),
              response.changed()),
          refusal);
    }
  }
}
