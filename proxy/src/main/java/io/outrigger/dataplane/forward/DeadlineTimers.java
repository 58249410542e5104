package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deadlines of one loop's calls: a wheel of intrusive lists.
 *
 * <p>Arming and disarming a call is a few field writes; no task is scheduled per request. At most
 * one alarm is set: for the first slot that holds anything. A sooner deadline cancels it and sets
 * another one. Time is cut into ticks of about 2 ms, rounded up: a deadline never fires early, and
 * at most one tick late.
 */
@LoopConfined
public final class DeadlineTimers {
  /** Calls a task once, later, on the loop. */
  @FunctionalInterface
  public interface Alarm {
    /** Returns an action that cancels the call and frees what was kept for it. */
    Runnable in(long delayNanos, Runnable task);
  }

  /** Something with a deadline. */
  abstract static class Entry {
    private @Nullable Entry before;
    private @Nullable Entry after;
    private long tick = UNARMED;

    /** The time is over; the entry is not armed any more. */
    abstract void onDeadline();
  }

  private static final Logger log = LoggerFactory.getLogger(DeadlineTimers.class);

  private static final int TICK_BITS = 21; // 2.1 ms
  private static final int SLOTS = 8192; // 17 s: default timeouts fit into one turn of the wheel
  private static final long UNARMED = -1;
  private static final long NO_ALARM = Long.MAX_VALUE;
  private static final long FARTHEST = Long.MAX_VALUE / 4;

  private final LongSupplier clock;
  private final Alarm alarm;
  private final long origin;
  private final @Nullable Entry[] slots = new Entry[SLOTS];
  private int armed;

  /** Slots up to this tick have been looked at. */
  private long doneTick;

  /** The tick of the alarm that is set. */
  private long alarmTick = NO_ALARM;

  private Runnable cancelAlarm = () -> {};

  DeadlineTimers(LongSupplier clock, Alarm alarm) {
    this.clock = clock;
    this.alarm = alarm;
    origin = clock.getAsLong();
  }

  /**
   * Fires {@code entry}, in place of an earlier setting.
   *
   * @param sinceNanos when its time began, by the clock; not in the future
   * @param limitNanos how much time it has
   */
  void arm(Entry entry, long sinceNanos, long limitNanos) {
    disarm(entry);
    long since = sinceNanos - origin;
    if (armed == 0) {
      doneTick = Math.max(doneTick, since >> TICK_BITS); // there was nothing to miss before
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

  /** Takes {@code entry} out; nothing when it is not armed. */
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
      cancelAlarm.run(); // else each sooner deadline would leave a task in the loop until its time
      alarmTick = tick;
      long due = origin + (tick << TICK_BITS);
      cancelAlarm = alarm.in(Math.max(0, due - clock.getAsLong()), this::onAlarm);
    }
  }

  private void onAlarm() {
    alarmTick = NO_ALARM;
    long now = currentTick();
    // One turn of the wheel sees every slot, however long the loop was away.
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
        entry = slots[slot]; // the call may have armed or disarmed others
      } else {
        entry = entry.after; // of a later turn
      }
    }
  }

  /** Whatever happens to one call, the others are told in time. */
  private static void fire(Entry entry) {
    try {
      entry.onDeadline();
    } catch (RuntimeException | Error e) { // no memory for a reply is an error
      log.error("a call was not ended at its deadline because of a bug of ours", e);
    }
  }

  private long currentTick() {
    return (clock.getAsLong() - origin) >> TICK_BITS;
  }

  private static long tickAfter(long nanos) {
    return nanos <= 0 ? 0 : ((nanos - 1) >> TICK_BITS) + 1;
  }
}
