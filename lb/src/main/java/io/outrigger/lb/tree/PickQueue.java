package io.outrigger.lb.tree;

import io.outrigger.base.AnyThread;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Calls that wait for a published value, in order of arrival.
 *
 * <p>No wake-up is lost: a publisher writes the value and then calls {@link #wakeAll}; a waiter
 * adds itself to the queue and then reads the value again. Of these two, the later one sees the
 * effect of the earlier one: either the waiter reads the new value and removes itself, or the
 * waiter was in the queue before the publisher drained it. A waiter is removed by its key, so
 * exactly one of the two removes it.
 */
@AnyThread
public final class PickQueue {
  /** The result of {@link #park} when there is nothing to wait for. */
  public static final long NOT_PARKED = -1;

  private final ConcurrentSkipListMap<Long, ParkedCall> parked = new ConcurrentSkipListMap<>();
  private final AtomicLong tickets = new AtomicLong();

  /**
   * Parks {@code call}, unless {@code isStale} reports, after parking, that the awaited value is
   * published.
   *
   * @param isStale whether a newer value than the caller saw is published
   * @return a ticket for {@link #unpark}, or {@link #NOT_PARKED}, which means that the caller must
   *     read the value again at once
   */
  public long park(ParkedCall call, BooleanSupplier isStale) {
    long ticket = tickets.getAndIncrement();
    parked.put(ticket, call);
    if (isStale.getAsBoolean() && parked.remove(ticket) != null) {
      return NOT_PARKED;
    }
    return ticket;
  }

  /** Removes a parked call; returns false when its {@code wake} was or will be called. */
  public boolean unpark(long ticket) {
    return parked.remove(ticket) != null;
  }

  /** Whether the call of {@code ticket} is parked, and no other call has waited longer. */
  boolean isFirst(long ticket) {
    Map.Entry<Long, ParkedCall> first = parked.firstEntry();
    return first != null && first.getKey() == ticket;
  }

  /** Wakes every call that is parked, in order; the value must be published before. */
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
     * Tells the call to try again. Called on the control loop, at most once per park; the
     * implementation switches to the call's own event loop.
     */
    void wake();
  }
}
