package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.http2.HeaderList;
import io.outrigger.lb.Picker;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiting state of one call: its reservation in the forward's {@link Limit}, the target or
 * cluster on which the call is parked, and its intended pauses.
 *
 * <p>The control loop wakes a parked call once per {@code Parking}; the wake-up then runs on the
 * call's event loop. A wake-up that arrives after the call stopped waiting does nothing, since it
 * belongs to an earlier {@code Parking}.
 */
@LoopConfined
final class PendingCall {
  /**
   * Limits the waiting requests of one forward over all event loops, by their number and by their
   * bytes (SC-22). A request that is routed and picked at once is not counted here.
   */
  record Limit(Budget requests, Budget bytes) {}

  private final Limit room;
  private final CallLoop loop;
  private final Runnable onWoken;
  private boolean reserved;
  private long bytes;
  private @Nullable Parking parking;
  private DeadlineTimers.@Nullable Entry pause;

  /** Removes {@link #parking} from its target or cluster. */
  private Runnable cancel = () -> {};

  /**
   * @param onWoken the action that runs on the call's loop when the call is woken
   */
  PendingCall(Limit room, CallLoop loop, Runnable onWoken) {
    this.room = room;
    this.loop = loop;
    this.onWoken = onWoken;
  }

  /** Reserves a place in the queue, once per call; false when the queue is full. */
  boolean reserve(HeaderList head) {
    if (reserved) {
      return true;
    }
    if (!room.requests().hold(1)) {
      return false;
    }
    reserved = true;
    return hold(head.heapBytes());
  }

  /** Reserves room for bytes that arrived while the call waits; false when the limit is reached. */
  boolean hold(int count) {
    if (!room.bytes().hold(count)) {
      return false;
    }
    bytes += count;
    return true;
  }

  /**
   * Parks the call until the target has a selector other than {@code seen}; false when another
   * selector is published already.
   */
  boolean parkOn(ForwardTarget target, @Nullable ConfigSelector seen) {
    var next = new Parking();
    return isParked(next, target.park(next, seen), target::unpark);
  }

  /**
   * Parks the call until the cluster has a picker other than {@code seen}; false when another
   * picker is published already.
   */
  boolean parkOn(ClusterHandle cluster, Picker seen) {
    var next = new Parking();
    return isParked(next, cluster.park(next, seen), cluster::unpark);
  }

  /** Runs on the call's loop, so no wake-up can run before this method ends. */
  private boolean isParked(Parking next, long ticket, LongConsumer unpark) {
    if (ticket < 0) {
      return false;
    }
    parking = next;
    cancel = () -> unpark.accept(ticket);
    return true;
  }

  /**
   * Runs the task {@code then} after {@code nanos}, at most one timer tick late, unless the call
   * stops waiting before.
   */
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

  /** Stops waiting and releases all reservations. A second call does nothing. */
  void leave() {
    if (pause != null) {
      loop.deadlines.disarm(pause);
    }
    if (parking != null) {
      parking = null;
      cancel.run();
    }
    if (reserved) {
      reserved = false;
      room.requests().release(1);
    }
    if (bytes > 0) {
      room.bytes().release(bytes);
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
