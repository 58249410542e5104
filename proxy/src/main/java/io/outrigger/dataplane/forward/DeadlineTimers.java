package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.OneTimer;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deadlines of one event loop's calls, in a hashed timing wheel.
 *
 * <p>Deadlines are rounded up to ticks of about 2 ms. The entries of a tick are in a linked list in
 * the slot {@code tick % SLOTS}, so arming and disarming an entry take constant time. A deadline
 * never fires early, and at most one tick late.
 *
 * <p>The loop has at most one alarm, not a task for each request. If a new deadline is earlier than
 * the alarm, the alarm is set to this deadline; the end of a call does not change the alarm. The
 * alarm fires the deadlines that have passed, and is then set to the next deadline.
 */
@LoopConfined
public final class DeadlineTimers {
  abstract static class Entry {
    private long tick;
    private Entry previous = this;
    private Entry next = this;

    private void appendTo(Entry list) {
      previous = list.previous;
      next = list;
      previous.next = this;
      next.previous = this;
    }

    private void unlink() {
      previous.next = next;
      next.previous = previous;
      previous = this;
      next = this;
    }

    /** Called when the deadline has passed and the entry is no longer armed. */
    abstract void onDeadline();
  }

  /** The head of a circular list of entries; no entry's tick is earlier than the head's tick. */
  private static final class Slot extends Entry {
    @Override
    void onDeadline() {}
  }

  private static final Logger log = LoggerFactory.getLogger(DeadlineTimers.class);
  private static final int TICK_BITS = 21; // a tick is 2.1 ms
  private static final int SLOTS = 512; // 1.1 s
  private static final long NO_ALARM = Long.MAX_VALUE;
  private static final long FARTHEST = Long.MAX_VALUE / 4;

  /** Limits the number of deadlines that one task fires, because thousands may pass together. */
  private static final int FIRED_PER_TASK = 64;

  private final LongSupplier clock;
  private final OneTimer alarm;
  private final long origin;

  private final Entry[] slots = Stream.generate(Slot::new).limit(SLOTS).toArray(Entry[]::new);

  /** Entries whose deadlines have passed. */
  private final Entry due = new Slot();

  /** The last tick whose entries were moved to {@link #due}. */
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
    entry.unlink();
    long dueNanos = sinceNanos - origin + Math.min(limitNanos, FARTHEST);
    entry.tick = Math.max(tickAfter(dueNanos), doneTick + 1);
    Entry slot = slotOf(entry.tick);
    slot.tick = slot.next == slot ? entry.tick : Math.min(slot.tick, entry.tick);
    entry.appendTo(slot);
    setAlarm(entry.tick);
  }

  void disarm(Entry entry) {
    entry.unlink();
  }

  /** Counts the armed entries, for tests. */
  int armed() {
    int count = 0;
    for (Entry slot : slots) {
      for (Entry entry = slot.next; entry != slot; entry = entry.next) {
        count++;
      }
    }
    return count;
  }

  private Entry slotOf(long tick) {
    return slots[(int) (tick & (SLOTS - 1))];
  }

  private void setAlarm(long tick) {
    if (tick < alarmTick) {
      long alarmNanos = origin + (tick << TICK_BITS);
      alarmTick = NO_ALARM; // if there is no memory for the alarm, the next deadline sets one
      alarm.start(Duration.ofNanos(alarmNanos - clock.getAsLong()), this::onAlarm);
      alarmTick = tick;
    }
  }

  private void onAlarm() {
    alarmTick = NO_ALARM;
    long now = (clock.getAsLong() - origin) >> TICK_BITS;
    for (long tick = Math.max(doneTick + 1, now - SLOTS + 1); tick <= now; tick++) {
      moveDue(slotOf(tick), now);
    }
    doneTick = now;
    for (int i = 0; i < FIRED_PER_TASK && due.next != due; i++) {
      Entry first = due.next;
      first.unlink();
      fire(first);
    }
    setAlarm(due.next == due ? nextTick() : doneTick);
  }

  private void moveDue(Entry slot, long now) {
    slot.tick = NO_ALARM;
    Entry entry = slot.next;
    while (entry != slot) {
      Entry next = entry.next;
      if (entry.tick <= now) {
        entry.unlink();
        entry.appendTo(due);
      } else {
        slot.tick = Math.min(slot.tick, entry.tick);
      }
      entry = next;
    }
  }

  /** Returns the tick of the next alarm, possibly for a deadline whose call has ended. */
  private long nextTick() {
    long first = NO_ALARM;
    for (Entry slot : slots) {
      if (slot.next != slot) {
        first = Math.min(first, slot.tick);
      }
    }
    return first;
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
