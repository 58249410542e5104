package io.outrigger.lb.tree;

import io.outrigger.base.AnyThread;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Calls that wait for a published value, in order of arrival.
 *
 * <p>No wake-up is lost. The publisher writes the value, then calls {@link #wakeAll}. The waiter
 * adds itself to the queue, then reads the value again. If the waiter reads the new value, it
 * removes itself. If the waiter still reads the old value, {@code wakeAll} has not begun yet, and
 * will find the waiter in the queue and wake it. If the waiter and the publisher both try to remove
 * the waiter, exactly one of them succeeds.
 */
@AnyThread
public final class PickQueue {
  /** The result of {@link #park} when the awaited value is already published. */
  public static final long NOT_PARKED = -1;

  private final ConcurrentSkipListMap<Long, ParkedCall> parked = new ConcurrentSkipListMap<>();
  private final AtomicLong tickets = new AtomicLong();

  /**
   * Parks a call, then removes the call again if {@code isStale} returns true.
   *
   * @param isStale returns whether a newer value than the caller's value is published
   * @return a ticket for {@link #unpark}, or {@link #NOT_PARKED}, which means that the caller must
   *     immediately read the value again
   */
  public long park(ParkedCall call, BooleanSupplier isStale) {
    long ticket = tickets.getAndIncrement();
    parked.put(ticket, call);
    if (isStale.getAsBoolean() && parked.remove(ticket) != null) {
      return NOT_PARKED;
    }
    return ticket;
  }

  /** Removes a parked call; returns false if the call's wake-up has run or is about to run. */
  public boolean unpark(long ticket) {
    return parked.remove(ticket) != null;
  }

  /** Whether a ticket belongs to the parked call that has waited longest. */
  boolean isFirst(long ticket) {
    Map.Entry<Long, ParkedCall> first = parked.firstEntry();
    return first != null && first.getKey() == ticket;
  }

  /** Called after a new value was published: wakes all parked calls in order of arrival. */
  public void wakeAll() {
    long end = tickets.get();
    while (true) {
      Map.Entry<Long, ParkedCall> first = parked.firstEntry();
      if (first == null || first.getKey() >= end) {
        return;
      }
      if (parked.remove(first.getKey()) != null) {
        first.getValue().wake();
      }
    }
  }

  public int size() {
    return parked.size();
  }

  /** A call that waits for a value that the control loop publishes. */
  @FunctionalInterface
  public interface ParkedCall {
    /**
     * Makes the parked call repeat its pick. Called on the control loop, at most once per {@link
     * #park}; the implementation must switch to the call's own event loop.
     */
    void wake();
  }
}
