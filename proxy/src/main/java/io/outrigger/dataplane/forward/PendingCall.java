package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.HeaderList;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The waiting state of one call: its reservation in the forward's {@link Limit}, the target or
 * cluster on which the call is parked, and the call's delays.
 *
 * <p>The control loop wakes a parked call once, and the call continues on its event loop. A wake-up
 * has no effect if the {@link Parking} for which it was sent has ended.
 */
@LoopConfined
final class PendingCall {
  /**
   * Limits the waiting requests of one forward over all event loops, by their number and by their
   * bytes (SC-22). A request that does not have to wait does not count against the limits.
   */
  record Limit(Budget requests, Budget bytes) {}

  private final Limit limit;
  private final CallLoop loop;

  /** The task that runs on the call's loop when the call is woken. */
  private final Runnable onWoken;

  private boolean reserved;
  private long bytes;
  private @Nullable Parking parking;
  private DeadlineTimers.@Nullable Entry pause;

  /** The task that removes the parked call from its target or cluster. */
  private LongConsumer unpark = ticket -> {};

  private long ticket;

  PendingCall(Limit limit, CallLoop loop, Runnable onWoken) {
    this.limit = limit;
    this.loop = loop;
    this.onWoken = onWoken;
  }

  /** Counts the call as waiting (only once); returns false when too many calls wait. */
  boolean reserve(HeaderList head) {
    if (reserved) {
      return true;
    }
    if (!limit.requests().hold(1)) {
      return false;
    }
    reserved = true;
    return hold(head.heapBytes());
  }

  /** Reserves bytes of the forward's limit; false when the limit is reached. */
  boolean hold(int count) {
    if (!limit.bytes().hold(count)) {
      return false;
    }
    bytes += count;
    return true;
  }

  /**
   * Parks the call on a target or a cluster.
   *
   * @param park parks the call and returns a ticket, or a negative number when the call need not
   *     wait
   * @param remove removes the call with the given ticket
   * @return whether the call is parked
   */
  boolean parkOn(ToLongFunction<ParkedCall> park, LongConsumer remove) {
    var next = new Parking();
    ticket = park.applyAsLong(next);
    if (ticket < 0) {
      return false;
    }
    parking = next; // a wake-up reads this field in a later task of the same loop
    unpark = remove;
    return true;
  }

  /** Runs a task after a number of nanoseconds, unless {@link #stop} is called earlier. */
  void pause(long nanos, Runnable then) {
    pause =
        new DeadlineTimers.Entry() {
          @Override
          void onDeadline() {
            then.run();
          }
        };
    loop.deadlines.arm(pause, loop.nanoTime(), nanos);
  }

  /** Stops waiting and releases all reservations; has no effect the second time. */
  void stop() {
    if (pause != null) {
      loop.deadlines.disarm(pause);
    }
    if (parking != null) {
      parking = null;
      unpark.accept(ticket);
    }
    if (reserved) {
      reserved = false;
      limit.requests().release(1);
    }
    if (bytes > 0) {
      limit.bytes().release(bytes);
      bytes = 0;
    }
  }

  /** One period in which the call is parked on a target or a cluster. */
  private final class Parking implements ParkedCall, Runnable {
    @Override
    public void wake() {
      loop.execute(this);
    }

    @Override
    public void run() {
      if (parking == this) {
        parking = null;
        onWoken.run();
      }
    }
  }
}
