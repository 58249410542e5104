package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the total bytes of unread replies of all admin servers. If a new reply makes the total
 * exceed the bound, other clients are disconnected, beginning with the client of the oldest unread
 * reply. A client that never reads does not prevent replies to others. If the new reply alone is
 * larger than the bound, all other clients with unread replies are disconnected.
 */
@AnyThread
public final class AdminBudget {
  private final long maxBytes;
  private final Queue<Unread> oldestFirst = new ConcurrentLinkedQueue<>();
  private final AtomicLong held = new AtomicLong();

  public AdminBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Adds a reply; other clients may be disconnected to make room.
   *
   * @param disconnect closes the client's connection; called on any thread, at most once
   */
  public Unread add(long bytes, Runnable disconnect) {
    var added = new Unread(bytes, disconnect);
    held.addAndGet(bytes);
    oldestFirst.add(added);
    while (held.get() > maxBytes) {
      Unread oldest = oldestFirst.peek();
      if (oldest == null || oldest == added) {
        break;
      }
      if (oldest.done()) {
        oldest.disconnect.run();
      }
    }
    return added;
  }

  public long heldBytes() {
    return held.get();
  }

  @AnyThread
  public final class Unread {
    private final long bytes;
    private final Runnable disconnect;

    private Unread(long bytes, Runnable disconnect) {
      this.bytes = bytes;
      this.disconnect = disconnect;
    }

    /**
     * Called when the client has read the reply, or the reply was dropped.
     *
     * @return true for the first call of this method, false for later calls
     */
    public boolean done() {
      boolean isRemoved = oldestFirst.remove(this);
      if (isRemoved) {
        held.addAndGet(-bytes);
      }
      return isRemoved;
    }
  }
}
