package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deadlines of one event loop's calls: a timer wheel of intrusive lists.
 *
 * <p>Arming and disarming a call takes a few field writes; no task is scheduled per request. At
 * most one alarm is set, for the first non-empty slot. An earlier deadline cancels this alarm and
 * sets another one. Deadlines are rounded up to ticks of about 2 ms, so a deadline never fires
 * early, and fires at most one tick late.
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

  abstract static class Entry {
    private @Nullable Entry before;
    private @Nullable Entry after;
    private long tick = UNARMED;

    /** The deadline has passed; the entry is no longer armed. */
    abstract void onDeadline();
  }

  private static final Logger log = LoggerFactory.getLogger(DeadlineTimers.class);

  private static final int TICK_BITS = 21; // 2.1 ms
  private static final int SLOTS = 8192; // 17 s: one rotation covers default timeouts
  private static final long UNARMED = -1;
  private static final long NO_ALARM = Long.MAX_VALUE;
  private static final long FARTHEST = Long.MAX_VALUE / 4;

  private final LongSupplier clock;
  private final Alarm alarm;
  private final long origin;
  private final @Nullable Entry[] slots = new Entry[SLOTS];
  private int armed;

  /** The last tick whose slot was processed. */
  private long doneTick;

  /** The tick for which the alarm is set. */
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
    long since = sinceNanos - origin;
    if (armed == 0) {
      doneTick = Math.max(doneTick, since >> TICK_BITS); // nothing was armed before
    }
    long tick = Math.max(tickAfter(since + Math.min(limitNanos, FARTHEST)), doneTick + 1);
    entry.tick = tick;
    int slot = (int) (tick & (SLOTS - 1));
    Entry head = slots[slot];
    entry.after = head;
    if (head != null) {
      head.before = entry;
    }
    slots[slot] = entry;
    armed++;
    setAlarm(tick);
  }

  /** Disarms {@code entry}; does nothing for an entry that is not armed. */
  void disarm(Entry entry) {
    if (entry.tick == UNARMED) {
      return;
    }
    if (entry.before != null) {
      entry.before.after = entry.after;
    } else {
      slots[(int) (entry.tick & (SLOTS - 1))] = entry.after;
    }
    if (entry.after != null) {
      entry.after.before = entry.before;
    }
    entry.before = null;
    entry.after = null;
    entry.tick = UNARMED;
    armed--;
  }

  int armed() {
    return armed;
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
    long now = currentTick();
    // One rotation of the wheel visits every slot, however long the loop was busy.
    for (long t = Math.max(doneTick + 1, now - SLOTS + 1); t <= now; t++) {
      doneTick = t;
      fireSlot((int) (t & (SLOTS - 1)), now);
    }
    doneTick = Math.max(doneTick, now);
    for (long t = doneTick + 1; armed > 0 && t <= doneTick + SLOTS; t++) {
      if (slots[(int) (t & (SLOTS - 1))] != null) {
        setAlarm(t);
        return;
      }
    }
  }

  private void fireSlot(int slot, long now) {
    Entry entry = slots[slot];
    while (entry != null) {
      if (entry.tick <= now) {
        disarm(entry);
        fire(entry);
        entry = slots[slot]; // onDeadline may have armed or disarmed other entries
      } else {
        entry = entry.after; // due in a later rotation
      }
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

  private long currentTick() {
    return (clock.getAsLong() - origin) >> TICK_BITS;
  }

  private static long tickAfter(long nanos) {
    return nanos <= 0 ? 0 : ((nanos - 1) >> TICK_BITS) + 1;
  }
}
