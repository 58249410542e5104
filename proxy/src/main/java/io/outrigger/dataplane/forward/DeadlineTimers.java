package io.outrigger.dataplane.forward;

import io.netty.util.internal.DefaultPriorityQueue;
import io.netty.util.internal.PriorityQueueNode;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.OneTimer;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deadlines of one event loop's calls, in order.
 *
 * <p>The loop has at most one alarm, for the first deadline, not a task for each request. A new
 * deadline before the alarm moves the alarm forward to it; the end of a call moves no alarm.
 * Deadlines are rounded up to ticks of about 2 ms. A deadline never fires early, and at most one
 * tick late.
 */
@LoopConfined
public final class DeadlineTimers {
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

    /** Called when the deadline has passed and the entry is no longer armed. */
    abstract void onDeadline();
  }

  private static final Logger log = LoggerFactory.getLogger(DeadlineTimers.class);
  private static final int TICK_BITS = 21; // a tick is 2.1 ms
  private static final long NO_ALARM = Long.MAX_VALUE;
  private static final long FARTHEST = Long.MAX_VALUE / 4;

  /** The maximum number of deadlines per task, since thousands of calls may end at one time. */
  private static final int FIRED_PER_TASK = 64;

  private final LongSupplier clock;
  private final OneTimer alarm;
  private final long origin;

  /** A heap with an index in each entry, so that removing an entry takes logarithmic time. */
  private final DefaultPriorityQueue<Entry> armed =
      new DefaultPriorityQueue<>((a, b) -> Long.compare(a.tick, b.tick), 16);

  /** The last tick whose deadlines have begun to fire; some of them may fire in the next task. */
  private long doneTick;

  private long alarmTick = NO_ALARM;

  DeadlineTimers(LongSupplier clock, OneTimer.Scheduler loop) {
    this.clock = clock;
    alarm = new OneTimer(loop);
    origin = clock.getAsLong();
  }

  /**
   * Arms an entry, replacing its earlier deadline.
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

  void disarm(Entry entry) {
    armed.removeTyped(entry);
  }

  int armed() {
    return armed.size();
  }

  private void setAlarm(long tick) {
    if (tick < alarmTick) {
      alarmTick = tick;
      long due = origin + (tick << TICK_BITS);
      alarm.start(Duration.ofNanos(due - clock.getAsLong()), this::onAlarm);
    }
  }

  private void onAlarm() {
    alarmTick = NO_ALARM;
    doneTick = (clock.getAsLong() - origin) >> TICK_BITS;
    Entry first = armed.peek();
    for (int i = 0; i < FIRED_PER_TASK && first != null && first.tick <= doneTick; i++) {
      disarm(first);
      fire(first);
      first = armed.peek();
    }
    if (first != null) {
      setAlarm(first.tick);
    }
  }

  /** Fires an entry; a failure in one call must not prevent other deadlines. */
  private static void fire(Entry entry) {
    try {
      entry.onDeadline();
    } catch (RuntimeException | Error e) { // an Error if a reply finds no memory
      log.error("a call was not ended at its deadline because of a bug", e);
    }
  }

  private static long tickAfter(long nanos) {
    return nanos <= 0 ? 0 : ((nanos - 1) >> TICK_BITS) + 1;
  }
}
