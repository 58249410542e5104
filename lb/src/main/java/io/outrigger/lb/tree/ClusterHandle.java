package io.outrigger.lb.tree;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.FixedPicker;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.state.Connectivity;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One cluster as routes and calls refer to it: its published picker, and how many calls may still
 * pick from it (A31).
 *
 * <p>Routes hold handles, not names, so a route cannot name a cluster that balancing does not know.
 * A call acquires the handle when it is routed and releases it once no further pick can happen. A
 * retired handle refuses to be acquired; a call that is refused reads the selector again, which by
 * then is a newer one. The last release of a retired handle is reported, so that the cluster ends.
 */
@AnyThread
public final class ClusterHandle {
  /** A picker with its state: published together, so that readers see both or neither. */
  private record Published(Connectivity state, Picker picker) {}

  private static final int RETIRED = 1;
  private static final int ONE_CALL = 2;

  private final String name;
  private final Consumer<ClusterHandle> onUnused;
  private final Runnable onAwaited;
  private final PickQueue queue = new PickQueue();

  /** Calls in use times {@link #ONE_CALL}, plus {@link #RETIRED}. */
  private final AtomicInteger use = new AtomicInteger();

  private volatile String note = "";
  private volatile Published published;

  /**
   * @param onUnused called, on any thread, after the last release of a retired handle
   * @param onAwaited called on the thread of a call that parks as the first one
   */
  ClusterHandle(String name, Consumer<ClusterHandle> onUnused, Runnable onAwaited) {
    this.name = name;
    this.onUnused = onUnused;
    this.onAwaited = onAwaited;
    published = new Published(Connectivity.CONNECTING, new FixedPicker(notDefined(name)));
  }

  private static PickResult notDefined(String name) {
    return new PickResult.Queue(
        "cds_dynamic_discovery",
        "cds: waiting for CDS resource definition for cluster \"" + name + "\"");
  }

  public String name() {
    return name;
  }

  /** Keeps the cluster alive for a call. False once retired: read the selector again. */
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

  /** Gives up what {@link #acquire} took; once per call. */
  public void release() {
    if (use.addAndGet(-ONE_CALL) == RETIRED) {
      onUnused.accept(this);
    }
  }

  /** The picker in force; one volatile read. */
  public Picker picker() {
    return published.picker();
  }

  public Connectivity state() {
    return published.state();
  }

  /** The resolution note, for failures that are no picker's (A88); empty when there is none. */
  public String note() {
    return note;
  }

  /**
   * Parks {@code call} until another picker than {@code seen} is published.
   *
   * @return a ticket for {@link #unpark}, or {@link PickQueue#NOT_PARKED}: pick again at once
   */
  public long park(ParkedCall call, Picker seen) {
    long ticket = queue.park(call, () -> published.picker() != seen);
    if (queue.isFirst(ticket)) {
      onAwaited.run();
    }
    return ticket;
  }

  /** Takes a parked call out. False when its {@code wake} comes or came. */
  public boolean unpark(long ticket) {
    return queue.unpark(ticket);
  }

  /** How many calls wait for a picker. */
  public int parked() {
    return queue.size();
  }

  /** How many calls hold the cluster. */
  public int callsInUse() {
    return use.get() / ONE_CALL;
  }

  /** Sets the resolution note. Control loop. */
  void note(String next) {
    note = next;
  }

  /** Publishes, then wakes the parked calls. Control loop. */
  void publish(Connectivity state, Picker picker) {
    published = new Published(state, picker);
    queue.wakeAll();
  }

  /** Refuses further calls. True when no call holds the cluster any more. Control loop. */
  boolean retire() {
    return use.updateAndGet(before -> before | RETIRED) == RETIRED;
  }

  /** Takes calls again. Control loop. */
  void revive() {
    use.updateAndGet(before -> before & ~RETIRED);
  }

  /** Whether it is retired and no call holds it. */
  boolean isUnused() {
    return use.get() == RETIRED;
  }
}
