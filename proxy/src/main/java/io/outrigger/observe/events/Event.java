package io.outrigger.observe.events;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.stream.AdsObserver;
import java.time.Instant;
import java.util.List;

/**
 * One thing that happened.
 *
 * @param seq counts up from 1; never used again
 * @param forward whose it is; empty for what all share
 * @param subject what it is about: a cluster, an endpoint, a control plane, a type of resource
 */
@AnyThread
public record Event(
    long seq, Instant time, EventKind kind, String forward, String subject, Cause cause) {
  /** What is to be said; formed when somebody reads it. */
  public sealed interface Cause {
    /** How many bytes of resources it holds. */
    default long heldBytes() {
      return 0;
    }

    /** The same without the resources. */
    default Cause light() {
      return this;
    }
  }

  /** A line for people. */
  public record Line(String text) implements Cause {}

  /** Of a tree, with its numbers. */
  public record Balancing(LbEvent event) implements Cause {}

  /**
   * An answer to a response of {@code server}.
   *
   * @param refusal empty when it was accepted
   */
  public record Answer(String server, AdsObserver.Response response, String refusal)
      implements Cause {
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
