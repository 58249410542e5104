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
 * <p>Who lets go first is a matter of {@link Weight}, how it goes of {@link Relief}.
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

  /** How long one that fills memory is not read from. */
  static final long REST_MILLIS = 20;

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How many are looked at before the loop does something else: a millisecond or so. */
  static final int LOOKED_AT_ONCE = 1_024;

  private final MemoryLedger ledger;
  private final EventExecutor loop;
  private final List<MemoryAccount> accounts = new ArrayList<>();

  /** Not read from until the next tick. */
  private final List<MemoryAccount> paused = new ArrayList<>();

  /** Not read from for a moment. */
  private final List<MemoryAccount> resting = new ArrayList<>();

  private final AtomicLong heapBytes = new AtomicLong();
  private final AtomicLong directBytes = new AtomicLong();
  private final Relief relief;

  /** The weight of the heaviest account when it was last looked at; any thread reads it. */
  private volatile long heaviest;

  private long heap;
  private long direct;
  private long taken;
  private long lookAt = LOOK_BYTES;
  private boolean ticking;

  /** When the tick under way began, by the clock of the loop; when the last second was over. */
  private long lookNanos;

  private long secondNanos;
  private boolean isSecondOver;

  /** How many accounts are still to be looked at in this tick; the heaviest of the others. */
  private int toLookAt;

  private long heaviestNow;

  LoopAccounts(MemoryLedger ledger, EventExecutor loop) {
    this.ledger = ledger;
    this.loop = loop;
    relief = new Relief(ledger, this, accounts);
    secondNanos = nanoTime();
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
    resting.remove(account);
  }

  MemoryLedger ledger() {
    return ledger;
  }

  EventExecutor loop() {
    return loop;
  }

  /** By the clock of the loop. */
  long nanoTime() {
    return loop.ticker().nanoTime();
  }

  /** All bytes that were ever taken on this loop: its clock. */
  long taken() {
    return taken;
  }

  void heap(MemoryAccount of, long bytes) {
    heap += bytes;
    heapBytes.lazySet(heap);
    moved(of, bytes);
  }

  void direct(MemoryAccount of, long bytes) {
    direct += bytes;
    directBytes.lazySet(direct);
    moved(of, bytes);
  }

  /**
   * Who takes much is weighed at once: an attack fills memory between two ticks, and other loops
   * would else ask their light accounts meanwhile.
   */
  private void moved(MemoryAccount account, long bytes) {
    if (bytes > 0) {
      taken += bytes;
      if (taken >= lookAt) {
        lookAt = taken + LOOK_BYTES;
        long weight = account.weight(ledger.shortage());
        if (weight > heaviest) {
          heaviest = weight;
        }
        ledger.look();
        restIfHeavy(account, weight);
      }
    }
  }

  /**
   * One that fills memory faster than ticks come is not read from for a moment: what it has said
   * may be done with by then, and nothing has to be ended.
   */
  private void restIfHeavy(MemoryAccount account, long weight) {
    if (ledger.isFilling()
        && isToPause(account, weight)
        && !paused.contains(account)
        && !resting.contains(account)) {
      account.holder().pauseReading(true);
      resting.add(account);
      if (resting.size() == 1) {
        later(REST_MILLIS, this::endRest);
      }
    }
  }

  private void endRest() {
    List<MemoryAccount> before = List.copyOf(resting);
    resting.clear();
    for (MemoryAccount account : before) {
      if (!paused.contains(account)) {
        account.holder().pauseReading(false);
      }
    }
  }

  private void endPause() {
    List<MemoryAccount> before = List.copyOf(paused);
    paused.clear();
    for (MemoryAccount account : before) {
      account.holder().pauseReading(false);
    }
  }

  private boolean isToPause(MemoryAccount account, long weight) {
    return account.bytes() >= MIN_PAUSED_BYTES
        && weight >= heaviest / 4
        && account.holder().isHeavyByReading();
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
    later(ledger.isShort() ? BUSY_TICK_MILLIS : CALM_TICK_MILLIS, this::tick);
  }

  private void later(long millis, Runnable task) {
    schedule(task, millis, TimeUnit.MILLISECONDS);
  }

  /** A timer that is made in a turn rings in the next one; a task would still run in this one. */
  void inNextTurn(Runnable task) {
    schedule(task, 1, TimeUnit.NANOSECONDS);
  }

  private void schedule(Runnable task, long delay, TimeUnit unit) {
    try {
      var unused = loop.schedule(task, delay, unit);
    } catch (RejectedExecutionException stopped) {
      ticking = false; // the process ends
      heaviest = 0;
    }
  }

  /**
   * Looks at all accounts, some in each turn of the loop: there may be thousands. Those that were
   * not read from are read from before, whatever is found of them then: what they say next may be
   * what lets others go on, such as WINDOW_UPDATE.
   */
  private void tick() {
    lookNanos = nanoTime();
    isSecondOver = lookNanos - secondNanos >= SECOND_NANOS;
    if (isSecondOver) {
      secondNanos = lookNanos;
    }
    ledger.look();
    toLookAt = accounts.size();
    heaviestNow = 0;
    if (paused.isEmpty()) {
      lookAtSome();
    } else {
      endPause();
      inNextTurn(this::lookAtSome);
    }
  }

  /** Whatever happens in it, the next tick comes: it ends what others wait for. */
  private void lookAtSome() {
    boolean goesOn = false;
    try {
      goesOn = lookAtNext();
    } finally {
      if (goesOn) {
        inNextTurn(this::lookAtSome);
      } else if (accounts.isEmpty()) {
        ticking = false;
      } else {
        tickLater();
      }
    }
  }

  /** From the last one to the first: where one closes, the last takes its place. */
  private boolean lookAtNext() {
    Weight.Shortage shortage = ledger.shortage();
    for (int i = 0; i < LOOKED_AT_ONCE && toLookAt > 0; i++) {
      toLookAt--;
      if (toLookAt < accounts.size()) {
        lookAt(accounts.get(toLookAt), shortage);
      }
    }
    if (toLookAt > 0) {
      return true;
    }
    heaviest = heaviestNow;
    relief.onTick();
    ledger.mayRelieveAgain();
    ledger.look();
    return false;
  }

  private void lookAt(MemoryAccount account, Weight.Shortage shortage) {
    boolean isShort = ledger.isShort();
    tell(account.holder(), isShort);
    if (isSecondOver) {
      account.onSecondOver();
    }
    long weight = account.weight(shortage);
    heaviestNow = Math.max(heaviestNow, weight);
    if (isShort && isToPause(account, weight)) {
      account.holder().pauseReading(true);
      paused.add(account);
    }
  }

  /** For one that finds no memory the others do not wait; the next tick may be better. */
  private void tell(MemoryHolder holder, boolean isShort) {
    try {
      if (isSecondOver) {
        holder.onTick(lookNanos);
      }
      if (isShort) {
        holder.onShort();
      }
    } catch (OutOfMemoryError e) {
      OutOfMemory.onLoop(e);
    }
  }

  /** Makes the heaviest connections of this loop let go while too much is held. */
  void relieve() {
    relief.go();
  }

  /** See {@link Relief#goIfHeavy}. */
  public void relieveIfHeavy() {
    relief.goIfHeavy();
  }

  /** The weight of the heaviest is {@code weight}: others compare theirs with it. */
  void heaviest(long weight) {
    heaviest = weight;
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
