package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.http2.HeaderList;
import io.outrigger.lb.Picker;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ParkedCall;
import org.jspecify.annotations.Nullable;

/**
 * A call's waits: its place in the forward's {@link PendingLimit} with room for its bytes, and
 * where it is parked just now.
 *
 * <p>A wake-up comes on the control loop, once per park, and hops to the call's loop. One that is
 * on its way when the call stops waiting finds that it is not the current one, and does nothing.
 */
@LoopConfined
final class PendingCall {
  private final PendingLimit room;
  private final CallLoop loop;
  private final Runnable onWoken;
  private boolean reserved;
  private long bytes;
  private @Nullable Parking parking;

  /**
   * @param onWoken what the call does when it was woken; on its loop
   */
  PendingCall(PendingLimit room, CallLoop loop, Runnable onWoken) {
    this.room = room;
    this.loop = loop;
    this.onWoken = onWoken;
  }

  /** Takes a place, unless the call has one; false when there is none. */
  boolean reserve(HeaderList head) {
    if (reserved) {
      return true;
    }
    if (!room.enter()) {
      return false;
    }
    reserved = true;
    return hold(head.heapBytes());
  }

  /** Reserves room for bytes that came while waiting; false when there is none. */
  boolean hold(int count) {
    if (!room.hold(count)) {
      return false;
    }
    bytes += count;
    return true;
  }

  /** Waits for another selector than {@code seen}; false when it is there already. */
  boolean parkOn(ForwardTarget target, @Nullable ConfigSelector seen) {
    var next = new Parking(target, null);
    return next.isParked(target.park(next, seen));
  }

  /** Waits for another picker than {@code seen}; false when it is there already. */
  boolean parkOn(ClusterHandle cluster, Picker seen) {
    var next = new Parking(null, cluster);
    return next.isParked(cluster.park(next, seen));
  }

  /** No longer waits; gives everything back. Harmless a second time. */
  void leave() {
    if (parking != null) {
      parking.cancel();
      parking = null;
    }
    if (reserved) {
      reserved = false;
      room.leave();
    }
    if (bytes > 0) {
      room.letGo(bytes);
      bytes = 0;
    }
  }

  /** One park, on one of both. */
  private final class Parking implements ParkedCall, Runnable {
    private final @Nullable ForwardTarget target;
    private final @Nullable ClusterHandle cluster;
    private long ticket;

    Parking(@Nullable ForwardTarget target, @Nullable ClusterHandle cluster) {
      this.target = target;
      this.cluster = cluster;
    }

    /** Takes the answer of a park; we are on the loop, so no wake-up can run before this. */
    boolean isParked(long given) {
      ticket = given;
      parking = given < 0 ? null : this;
      return given >= 0;
    }

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

    void cancel() {
      if (target != null) {
        target.unpark(ticket);
      } else if (cluster != null) {
        cluster.unpark(ticket);
      }
    }
  }
}
