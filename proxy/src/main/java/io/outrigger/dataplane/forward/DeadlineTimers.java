package io.outrigger.dataplane.forward;

import io.netty.util.internal.DefaultPriorityQueue;
import io.netty.util.internal.PriorityQueueNode;
import io.outrigger.base.LoopConfined;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deadlines of one event loop's calls, in order.
 *
 * <p>No task is scheduled per request: at most one alarm is set, for the first deadline. An earlier
 * deadline cancels this alarm and sets a new alarm. The end of a call does not cancel its alarm.
 * Deadlines are rounded up to ticks of about 2 ms, so a deadline never fires early, and fires at
 * most one tick late.
 */
@LoopConfined
public final class DeadlineTimers {
  /** Schedules a task to run once, later, on the loop. */
  @FunctionalInterface
  public interface Alarm {
    /**
     * Schedules {@code task}; returns an action that cancels the task and removes it from the
     * loop's queue.
     */
    Runnable in(long delayNanos, Runnable task);
  }

  abstract static class Entry implements PriorityQueueNode {
    private long tick;
    private int index = INDEX_NOT_IN_QUEUE;

    @Override
    public int priorityQueueIndex(DefaultPriorityQueue<?> queue) {
      return index;
    }

    @Override
    public void priorityQueueIndex(DefaultPriorityQueue<?> queue, int newIndex) {
      index = newIndex;
    }

    /** The deadline has passed; the entry is no longer armed. */
    abstract void onDeadline();
  }

  private static final Logger log = LoggerFactory.getLogger(DeadlineTimers.class);
  private static final int TICK_BITS = 21; // 2.1 ms
  private static final long NO_ALARM = Long.MAX_VALUE;
  private static final long FARTHEST = Long.MAX_VALUE / 4;

  /**
   * The maximum number of deadlines that fire in one task. Thousands of calls may have the same
   * deadline, and each of these calls needs a reply.
   */
  private static final int FIRED_AT_ONCE = 64;

  private final LongSupplier clock;
  private final Alarm alarm;
  private final long origin;

  /** A heap whose entries know their index, so that removing an entry takes logarithmic time. */
  private final DefaultPriorityQueue<Entry> armed =
      new DefaultPriorityQueue<>((a, b) -> Long.compare(a.tick, b.tick), 16);

  /** The last tick that has begun to fire; some of its entries may wait for the next task. */
  private long doneTick;

  private long alarmTick = NO_ALARM;

  private Runnable cancelAlarm = () -> {};

  DeadlineTimers(LongSupplier clock, Alarm alarm) {
    this.clock = clock;
    this.alarm = alarm;
    origin = clock.getAsLong();
  }

  /**
   * Arms {@code entry}, replacing its earlier deadline.
   *
   * @param sinceNanos the start of the time limit, by the loop's clock; not in the future
   */
  void arm(Entry entry, long sinceNanos, long limitNanos) {
    disarm(entry);
    long due = sinceNanos - origin + Math.min(limitNanos, FARTHEST);
    entry.tick = Math.max(tickAfter(due), doneTick + 1);
    armed.add(entry);
    setAlarm(entry.tick);
  }

  /** Disarms {@code entry}; does nothing for an entry that is not armed. */
  void disarm(Entry entry) {
    armed.removeTyped(entry);
  }

  int armed() {
    return armed.size();
  }

  private void setAlarm(long tick) {
    if (tick < alarmTick) {
      cancelAlarm.run(); // else each earlier deadline would leave a task in the loop's queue
      alarmTick = tick;
      long due = origin + (tick << TICK_BITS);
      cancelAlarm = alarm.in(Math.max(0, due - clock.getAsLong()), this::onAlarm);
    }
  }

  private void onAlarm() {
    alarmTick = NO_ALARM;
    doneTick = (clock.getAsLong() - origin) >> TICK_BITS;
    Entry first = armed.peek();
    for (int i = 0; i < FIRED_AT_ONCE && first != null && first.tick <= doneTick; i++) {
      disarm(first);
      fire(first);
      first = armed.peek();
    }
    if (first != null) {
      setAlarm(first.tick);
    }
  }

  /** Fires {@code entry}. A failure in one call must not delay the deadlines of other calls. */
  private static void fire(Entry entry) {
    try {
      entry.onDeadline();
    } catch (RuntimeException | Error e) { // Error: there may be no memory for a reply
      log.error("a call was not ended at its deadline because of a bug", e);
    }
  }

  private static long tickAfter(long nanos) {
    return nanos <= 0 ? 0 : ((nanos - 1) >> TICK_BITS) + 1;
  }
}
