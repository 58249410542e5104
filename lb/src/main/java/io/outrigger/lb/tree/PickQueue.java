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
 * adds itself and then reads the value again. Whichever comes second sees the other: either the
 * waiter reads the new value and takes itself out, or it was in the queue before the publisher
 * drained it. Taking out is a removal by key, so exactly one of both wins.
 */
@AnyThread
public final class PickQueue {
  /** The answer of {@link #park} when nothing is to be waited for. */
  public static final long NOT_PARKED = -1;

  private final ConcurrentSkipListMap<Long, ParkedCall> parked = new ConcurrentSkipListMap<>();
  private final AtomicLong tickets = new AtomicLong();

  /**
   * Parks {@code call}, unless {@code isStale} finds, after parking, that the awaited value is
   * there.
   *
   * @param isStale whether a newer value than the caller saw is published
   * @return a ticket for {@link #unpark}, or {@link #NOT_PARKED}: look again at once
   */
  public long park(ParkedCall call, BooleanSupplier isStale) {
    long ticket = tickets.getAndIncrement();
    parked.put(ticket, call);
    if (isStale.getAsBoolean() && parked.remove(ticket) != null) {
      return NOT_PARKED;
    }
    return ticket;
  }

  /** Takes a call out. False when it is being woken: its {@code wake} comes or came. */
  public boolean unpark(long ticket) {
    return parked.remove(ticket) != null;
  }

  /** Whether the call of that ticket waits, and none has waited longer. */
  boolean isFirst(long ticket) {
    Map.Entry<Long, ParkedCall> first = parked.firstEntry();
    return first != null && first.getKey() == ticket;
  }

  /** Wakes every call parked before this, in order of arrival; after the value was published. */
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

  /** How many wait; for status views. */
  public int size() {
    return parked.size();
  }
}
