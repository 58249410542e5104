package io.outrigger.lb.tree;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.Picker;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A reference to a cluster, held by routes and calls. The handle has the cluster's published
 * picker, and counts the calls that may use the picker (A31).
 *
 * <p>Routes hold handles, not names, so every cluster of a route has a load-balancing tree. A call
 * acquires the handle when the call is routed, and releases the handle when no further pick can
 * follow. A call cannot acquire a retired handle. A call that finds its handle retired reads the
 * route selector again, because a new selector was published before the handle was retired. When
 * the last call releases a retired handle, {@code onUnused} runs and can close the cluster. Only
 * the control loop sets the resolution note, publishes pickers, and retires or revives the handle.
 */
@AnyThread
public final class ClusterHandle {
  /** A state and a picker that belong together and are published in one write. */
  private record Published(Connectivity state, Picker picker) {}

  private static final int RETIRED = 1;
  private static final int ONE_CALL = 2;

  private final String name;
  private final Consumer<ClusterHandle> onUnused;
  private final Runnable onCallsWaiting;
  private final PickQueue queue = new PickQueue();

  /**
   * The number of calls that hold the handle, times {@link #ONE_CALL}, plus {@link #RETIRED} if the
   * handle is retired.
   */
  private final AtomicInteger use = new AtomicInteger();

  private volatile String note = "";
  private volatile Published published;

  /**
   * @param picker the picker that is used until the first update of the tree
   * @param onUnused receives this handle, on any thread, after the last release of a retired handle
   * @param onCallsWaiting runs when the first call parks, on the thread of the call
   */
  ClusterHandle(
      String name, Picker picker, Consumer<ClusterHandle> onUnused, Runnable onCallsWaiting) {
    this.name = name;
    this.onUnused = onUnused;
    this.onCallsWaiting = onCallsWaiting;
    published = new Published(Connectivity.CONNECTING, picker);
  }

  public String name() {
    return name;
  }

  /**
   * Keeps the cluster open for a call. Returns false if the handle is retired; the caller must then
   * read the route selector again.
   */
  public boolean acquire() {
    while (true) {
      int before = use.get();
      if ((before & RETIRED) != 0) {
        return false;
      }
      if (use.compareAndSet(before, before + ONE_CALL)) {
        return true;
      }
    }
  }

  public void release() {
    if (use.addAndGet(-ONE_CALL) == RETIRED) {
      onUnused.accept(this);
    }
  }

  /** The picker that was published last; reading the picker costs one volatile read. */
  public Picker picker() {
    return published.picker();
  }

  public Connectivity state() {
    return published.state();
  }

  /** The resolution note (A88), for calls that fail without a pick; may be empty. */
  public String note() {
    return note;
  }

  /**
   * Parks a call until a picker other than the given picker is published.
   *
   * @return a ticket for {@link #unpark}, or {@link PickQueue#NOT_PARKED}, which means that the
   *     caller must immediately pick again
   */
  public long park(ParkedCall call, Picker seen) {
    long ticket = queue.park(call, () -> published.picker() != seen);
    if (queue.isFirst(ticket)) {
      onCallsWaiting.run();
    }
    return ticket;
  }

  /** Removes a parked call; returns false if the call's wake-up has run or is about to run. */
  public boolean unpark(long ticket) {
    return queue.unpark(ticket);
  }

  public int parked() {
    return queue.size();
  }

  public int callsInUse() {
    return use.get() / ONE_CALL;
  }

  void note(String next) {
    note = next;
  }

  void publish(Connectivity state, Picker picker) {
    published = new Published(state, picker);
    queue.wakeAll();
  }

  /**
   * Retires the handle, so that no further call can acquire it. Returns true if no call holds the
   * handle.
   */
  boolean retire() {
    return use.updateAndGet(before -> before | RETIRED) == RETIRED;
  }

  /** Reverses {@link #retire}: calls can acquire the handle again. */
  void revive() {
    use.updateAndGet(before -> before & ~RETIRED);
  }

  boolean isUnused() {
    return use.get() == RETIRED;
  }
}
