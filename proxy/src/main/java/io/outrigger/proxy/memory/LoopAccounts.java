package io.outrigger.proxy.memory;

import io.netty.util.concurrent.EventExecutor;
import io.outrigger.base.LoopConfined;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The accounts of one event loop. Their sums are published for the ledger; the loop looks at the
 * ledger whenever it has taken {@value #LOOK_BYTES} more bytes, and makes its own connections let
 * go when the ledger says so.
 *
 * <p>A connection that has held its bytes while much else was taken weighs more than one whose
 * bytes come and go: the first is stuck, the second at work, and of it counts what lay still for a
 * second or two. No clock is read for that: time is what the loop has taken in all.
 */
@LoopConfined
public final class LoopAccounts {
  /** How much one loop takes between two looks at the sum of all. */
  static final int LOOK_BYTES = 32 << 10;

  /** While less than the soft limit is held: for time bounds, which are seconds and more. */
  static final long CALM_TICK_MILLIS = 1_000;

  static final long BUSY_TICK_MILLIS = 100;

  /** A connection that holds less is read from whatever the others do. */
  static final long MIN_PAUSED_BYTES = 1 << 20;

  /** How many times heavier bytes that have lain still long are than those of who is at work. */
  private static final int STILL_FACTOR = 256;

  /** How much comes at least between two rounds: each looks at all accounts. */
  private static final int RELIEF_BYTES = 512 << 10;

  /** How many connections are ended before the loop does something else: a few milliseconds. */
  private static final int ASKED_AT_ONCE = 32;

  private static final int MIN_BACKEND_BYTES = 64 << 10;

  /** How many times lighter bytes are of who gives back all the while, as callers do. */
  private static final int MOST_WORK = 8;

  private static final int OFTEN = 8;

  private static final int SCALE = 8;

  private static final int CAUSE_SHARE = 8;

  /** How much may come before the heaviest are others. */
  private static final int RANKED_FOR_BYTES = 2 << 20;

  /** A second while memory is short. */
  private static final int STRETCH_TICKS = 10;

  /** How many bytes that come and go weigh as much as one that has just begun to lie still. */
  private static final int MOVING_PARTS = 16;

  private final MemoryLedger ledger;
  private final EventExecutor loop;
  private final List<MemoryAccount> accounts = new ArrayList<>();
  private final List<MemoryAccount> paused = new ArrayList<>();
  private final AtomicLong heapBytes = new AtomicLong();
  private final AtomicLong directBytes = new AtomicLong();

  /** The weight of the heaviest account when it was last looked at; any thread reads it. */
  private volatile long heaviest;

  private long heap;
  private long direct;
  private long taken;
  private long lookAt = LOOK_BYTES;
  private long relieveAt;
  private int ticks;
  private boolean ticking;

  /** Who is still to be asked to let go in the relief under way. */
  private final List<Weighed> order = new ArrayList<>();

  private long rankedAt;

  /** What had been taken when some were asked last. */
  private long relievedAt;

  /** Whether nobody has let go in it so far. */
  private boolean inVain;

  /** Whether nothing was left to end, since the last tick. */
  private boolean relievedInVain;

  LoopAccounts(MemoryLedger ledger, EventExecutor loop) {
    this.ledger = ledger;
    this.loop = loop;
  }

  /** Opens the account of a connection. */
  public MemoryAccount open(PeerSide side, MemoryHolder holder) {
    var account = new MemoryAccount(this, holder, side);
    account.place = accounts.size();
    accounts.add(account);
    if (!ticking) {
      ticking = true;
      tickLater();
    }
    return account;
  }

  void remove(MemoryAccount account) {
    if (account.place < 0) {
      return;
    }
    MemoryAccount last = accounts.remove(accounts.size() - 1);
    if (last != account) {
      accounts.set(account.place, last);
      last.place = account.place;
    }
    account.place = -1;
    paused.remove(account);
  }

  MemoryLedger ledger() {
    return ledger;
  }

  EventExecutor loop() {
    return loop;
  }

  /** All bytes that were ever taken on this loop: its clock. */
  long taken() {
    return taken;
  }

  void heap(long bytes) {
    heap += bytes;
    heapBytes.lazySet(heap);
    moved(bytes);
  }

  void direct(long bytes) {
    direct += bytes;
    directBytes.lazySet(direct);
    moved(bytes);
  }

  private void moved(long bytes) {
    if (bytes > 0) {
      taken += bytes;
      if (taken >= lookAt) {
        lookAt = taken + LOOK_BYTES;
        ledger.look();
      }
    }
  }

  /** Any thread. */
  long heapBytes() {
    return heapBytes.get();
  }

  /** Any thread. */
  long directBytes() {
    return directBytes.get();
  }

  /** Any thread. */
  long heaviest() {
    return heaviest;
  }

  private void tickLater() {
    long delay = ledger.isShort() ? BUSY_TICK_MILLIS : CALM_TICK_MILLIS;
    try {
      var unused = loop.schedule(this::tick, delay, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopped) {
      ticking = false; // the process ends
    }
  }

  private void tick() {
    long now = loop.ticker().nanoTime();
    ledger.look();
    for (MemoryAccount account : List.copyOf(paused)) {
      account.holder().pauseReading(false);
    }
    paused.clear();
    for (int i = accounts.size() - 1; i >= 0; i--) { // one may close, and the last takes its place
      if (i < accounts.size()) {
        accounts.get(i).holder().onTick(now);
      }
    }
    heaviest = 0;
    for (MemoryAccount account : accounts) {
      heaviest = Math.max(heaviest, weight(account));
    }
    if (ledger.isShort()) {
      pauseTheHeaviest();
    }
    if (++ticks % STRETCH_TICKS == 0) {
      accounts.forEach(MemoryAccount::onStretchOver);
    }
    relievedInVain = false;
    ledger.mayRelieveAgain();
    ledger.look();
    if (accounts.isEmpty()) {
      ticking = false;
    } else {
      tickLater();
    }
  }

  /**
   * Those that hold most are not read from until the next tick. Not longer: what a peer says next
   * may be what lets others go on, such as WINDOW_UPDATE.
   */
  private void pauseTheHeaviest() {
    long least = heaviest / 4;
    for (MemoryAccount account : accounts) {
      if (account.bytes() >= MIN_PAUSED_BYTES
          && weight(account) >= least
          && account.holder().isHeavyByReading()) {
        account.holder().pauseReading(true);
        paused.add(account);
      }
    }
  }

  /**
   * Makes the heaviest connections of this loop let go while too much is held, unless another loop
   * has heavier ones, which are asked at the same time. Some of them now, the next ones after what
   * else the loop has to do: to end a connection takes system calls.
   */
  void relieve() {
    if (order.isEmpty()) {
      relievedAt = taken;
      rank();
    } else if (taken - rankedAt > RANKED_FOR_BYTES) {
      rank();
    }
    int asked = 0;
    long due = taken - relievedAt; // as much as has come, or more would come than goes
    relievedAt = taken;
    while (!order.isEmpty() && (asked < ASKED_AT_ONCE || due > 0)) {
      Weighed next = order.remove(order.size() - 1);
      long excess = ledger.excess();
      if (excess <= 0 || next.weight == 0 || next.weight < ledger.heaviestElsewhere(this) / 2) {
        order.clear();
      } else if (next.account.place >= 0) { // it may have closed meanwhile
        asked++;
        heaviest = next.weight;
        long before = next.account.bytes();
        next.account.holder().letGo(excess);
        long freed = before - next.account.bytes();
        due -= freed;
        inVain &= freed <= 0;
      }
    }
    if (!order.isEmpty()) {
      post(this::relieve);
      return;
    }
    relievedInVain = inVain;
    ledger.look();
    if (!inVain) {
      ledger.mayRelieveAgain();
    }
  }

  /** Who is to be asked, the heaviest last. */
  private void rank() {
    inVain = true;
    rankedAt = taken;
    order.clear();
    if (ledger.excess() > 0) {
      for (MemoryAccount account : accounts) {
        order.add(new Weighed(account, weight(account)));
      }
      order.sort(Comparator.comparingLong(Weighed::weight));
    }
  }

  /**
   * Makes connections let go at once where too much is held: thousands of others may be about to be
   * read from in this turn of the loop. To be called between two connections, not within one.
   */
  public void relieveIfHeavy() {
    if (ledger.isHeavy() && !relievedInVain && taken >= relieveAt) {
      relieveAt = taken + RELIEF_BYTES;
      relieve();
    }
  }

  private record Weighed(MemoryAccount account, long weight) {}

  /**
   * Bytes of what is short that lie still, and more of them the longer their peer has taken nothing
   * up, less of them the oftener it does; those that move count next to nothing, and still more
   * than nothing. So of thousands that hold as little, those go first that do nothing; and
   * connections to backends, of which there are as many as we want, only when they hold much: all
   * apps share them. Who holds an eighth of all that may be held is the cause, at work or not.
   */
  private long weight(MemoryAccount account) {
    if (account.side() == PeerSide.BACKEND && account.bytes() < MIN_BACKEND_BYTES) {
      return 0;
    }
    boolean ofHeap = ledger.isHeapShortest();
    long still = account.stillBytes(ofHeap);
    long all = ofHeap ? account.heapBytes() : account.directBytes();
    if (all > ledger.shortestLimit() / CAUSE_SHARE) {
      return all * (1 + STILL_FACTOR) / SCALE;
    }
    long unit = Math.max(1, ledger.stillBytes() / STILL_FACTOR);
    long times = Math.min(account.stillFor() / unit, STILL_FACTOR);
    int work = 1 + Math.min(account.givenBackOften() / OFTEN, MOST_WORK - 1);
    return (still * (1 + times) + all / MOVING_PARTS) / ((long) SCALE * work);
  }

  /** Those that hold most. On the loop. */
  List<MemoryView.Holder> view(int max) {
    return accounts.stream()
        .sorted(
            Comparator.comparingLong((MemoryAccount a) -> a.heapBytes() + a.directBytes())
                .reversed())
        .limit(max)
        .map(
            a ->
                new MemoryView.Holder(
                    a.side(),
                    a.holder().peer(),
                    a.heapBytes(),
                    a.directBytes(),
                    a.holder().streams()))
        .toList();
  }

  /** What became of {@code task} when the loop has stopped does not matter. */
  void post(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      heaviest = 0; // the process ends
    }
  }
}
