package io.outrigger.dataplane.memory;

import io.netty.util.concurrent.EventExecutor;
import io.outrigger.base.LoopConfined;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The connections of one event loop, ranked by the memory that they hold. While memory is short,
 * the heaviest connections are paused. While memory is used up, the heaviest connections are ended
 * one after the other. {@link MemoryGauge} decides when memory is short or used up.
 *
 * <p>The score of a connection is its weight times one more than the number of seconds for which
 * the connection has stood still. If the weight is below 1 MiB, the score is divided by the number
 * of recent moves on the connection (see {@link MemoryHolder#moves}), because a neighbour whose
 * calls come and go holds more at any moment than each of thousands of connections that do nothing.
 * A paused connection is still read from once in each tick, because the peer's next frame may be
 * the WINDOW_UPDATE that frees memory.
 */
@LoopConfined
public final class LoopMemory {
  /** The number of bytes that one loop reads between two measurements of the gauge. */
  private static final int LOOK_BYTES = 64 << 10;

  /**
   * The minimum number of bytes that the loop reads between two rounds of ending within one turn.
   */
  private static final int ROUND_BYTES = 512 << 10;

  private static final long CALM_TICK_MILLIS = 1_000;
  private static final long SHORT_TICK_MILLIS = 100;
  private static final long PAUSE_MILLIS = 20;

  /**
   * A connection that holds fewer bytes is never paused by itself, whatever other connections hold.
   */
  static final int MIN_PAUSED_BYTES = 256 << 10;

  /** A shared connection that holds fewer bytes of its own is never ended. */
  private static final int MIN_SHARED_BYTES = 256 << 10;

  /**
   * A connection that holds fewer bytes is not ended while another loop has heavier connections.
   */
  private static final int TRIFLE_BYTES = 64 << 10;

  private static final long MAX_STILL_SECONDS = 255;

  /**
   * A connection that holds more bytes counts as a cause of the shortage, however much moves on it.
   */
  private static final long CAUSE_BYTES = 1 << 20;

  /**
   * The number of moves in one or two seconds from which on a connection is busy and always read
   * from.
   */
  private static final int BUSY_MOVES = 8;

  /** The number of connections that are checked before the loop runs other tasks. */
  private static final int LOOKED_AT_ONCE = 1_024;

  private static final int ENDED_AT_ONCE = 128;
  private static final long ENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private record Ranked(MemoryHolder holder, long weight, long score) {}

  private final MemoryGauge gauge;
  private final EventExecutor loop;
  private final List<MemoryHolder> holders = new ArrayList<>();
  private final Set<MemoryHolder> paused = new HashSet<>();

  /** The connections to end next, in this order; empty between two rounds of ending. */
  private final Deque<Ranked> order = new ArrayDeque<>();

  /** The weight of the heaviest connection at the last check, for other threads. */
  private volatile long heaviest;

  private volatile long weight;
  private volatile int apps;

  private boolean isAllPaused;
  private boolean isEndingLater;
  private int appCount;
  private long read;
  private long nextRoundAt;
  private boolean ticking;
  private long secondNanos;

  /** The number of connections that the current tick has not yet checked. */
  private int toLookAt;

  private boolean isSecondOver;
  private long heaviestNow;
  private long weightNow;

  LoopMemory(MemoryGauge gauge, EventExecutor loop) {
    this.gauge = gauge;
    this.loop = loop;
    secondNanos = nanoTime();
  }

  /** Adds a connection that has begun. */
  public void add(MemoryHolder holder) {
    holders.add(holder);
    countApps(holder.isShared() ? 0 : 1);
    if (!ticking) {
      ticking = true;
      later(CALM_TICK_MILLIS, this::tick);
    }
  }

  /**
   * Removes a connection that is closed.
   *
   * @return false if the connection was removed before
   */
  public boolean remove(MemoryHolder holder) {
    int place = holders.indexOf(holder);
    if (place >= 0) {
      MemoryHolder last = holders.remove(holders.size() - 1);
      if (last != holder) {
        holders.set(place, last);
      }
      paused.remove(holder);
      countApps(holder.isShared() ? 0 : -1);
    }
    return place >= 0;
  }

  private void countApps(int change) {
    appCount += change;
    apps = appCount;
  }

  /**
   * Records that {@code bytes} were read for {@code holder} and have been processed. The connection
   * may be closed when this method returns.
   */
  public void onRead(MemoryHolder holder, int bytes) {
    long before = read;
    read += bytes;
    if (before / LOOK_BYTES != read / LOOK_BYTES) {
      gauge.measure();
    }
    if (gauge.isUsedUp()) {
      pauseAll();
    }
    if (gauge.isShort()) {
      pauseIfHeavy(holder);
      if (gauge.isToEnd() && read >= nextRoundAt) {
        nextRoundAt = read + ROUND_BYTES; // thousands of connections may be read from in this turn
        endSome();
      }
    }
  }

  private void pauseIfHeavy(MemoryHolder holder) {
    long own = holder.weight();
    if (own >= MIN_PAUSED_BYTES
        && own >= heaviest / 4
        && holder.isHeavyByReading()
        && paused.add(holder)) {
      holder.pauseReading(true);
    }
  }

  /**
   * Pauses all apps except for busy ones that hold little, until some of the heap is free again.
   * Each of thousands of idle connections may be about to send a little, which is too much in sum.
   */
  private void pauseAll() {
    if (!isAllPaused) {
      isAllPaused = true;
      pauseApps(true);
      later(PAUSE_MILLIS, this::resumeAll);
    }
  }

  private void resumeAll() {
    gauge.measure();
    if (gauge.isUsedUp()) {
      later(PAUSE_MILLIS, this::resumeAll);
    } else {
      isAllPaused = false;
      paused.clear();
      pauseApps(false);
    }
  }

  private void pauseApps(boolean value) {
    for (int i = holders.size() - 1; i >= 0; i--) { // a resumed connection may close
      MemoryHolder holder = i < holders.size() ? holders.get(i) : null;
      if (holder != null && !holder.isShared() && !(value && isBusy(holder))) {
        holder.pauseReading(value);
      }
    }
  }

  private static boolean isBusy(MemoryHolder holder) {
    return holder.moves() >= BUSY_MOVES && holder.weight() < CAUSE_BYTES;
  }

  private void tick() {
    long now = nanoTime();
    isSecondOver = now - secondNanos >= SECOND_NANOS;
    if (isSecondOver) {
      secondNanos = now;
    }
    if (!isAllPaused) {
      List<MemoryHolder> resumed = List.copyOf(paused);
      paused.clear();
      resumed.forEach(holder -> holder.pauseReading(false));
    }
    toLookAt = holders.size();
    heaviestNow = 0;
    weightNow = 0;
    lookAtSome();
  }

  /**
   * Checks the next connections of the tick. Even after an exception the next tick is scheduled,
   * because it resumes the paused connections.
   */
  private void lookAtSome() {
    boolean isDone = true;
    try {
      long now = nanoTime();
      for (int i = 0; i < LOOKED_AT_ONCE && toLookAt > 0; i++) {
        toLookAt--;
        if (toLookAt < holders.size()) { // else some have closed, and the last took a free place
          lookAt(holders.get(toLookAt), now);
        }
      }
      isDone = toLookAt <= 0;
    } finally {
      if (!isDone) {
        inNextTurn(this::lookAtSome);
      } else {
        endTick();
      }
    }
  }

  private void lookAt(MemoryHolder holder, long now) {
    try {
      if (isSecondOver) {
        holder.onTick(now);
      }
      if (gauge.isShort()) {
        holder.onShort();
      }
    } catch (OutOfMemoryError e) { // the other connections are still checked
      OutOfMemory.onLoop(e);
    }
    weightNow += holder.weight();
    heaviestNow = Math.max(heaviestNow, holder.weight());
  }

  private void endTick() {
    heaviest = heaviestNow;
    weight = weightNow;
    gauge.onTick();
    if (holders.isEmpty()) {
      ticking = false;
      heaviest = 0;
      weight = 0;
    } else {
      later(gauge.isShort() ? SHORT_TICK_MILLIS : CALM_TICK_MILLIS, this::tick);
    }
  }

  /**
   * Ends connections, the highest score first, while the gauge demands it. May be called on any
   * thread.
   */
  void relieve() {
    post(
        () -> {
          if (order.isEmpty()) {
            endSome();
          }
        });
  }

  /**
   * Ends the connection with the highest score, whatever the gauge says. May be called on any
   * thread.
   */
  void endHeaviest() {
    post(
        () -> {
          List<Ranked> order = ranked();
          if (!order.isEmpty()) {
            end(order.get(0));
          }
        });
  }

  /**
   * Ends some connections, and schedules the rest for the next turn so that the loop can run other
   * tasks in between.
   */
  private void endSome() {
    if (order.isEmpty()) {
      order.addAll(ranked());
    }
    long began = nanoTime();
    boolean isDone = false;
    for (int count = 0; count < ENDED_AT_ONCE && !isDone; count++) {
      Ranked next = order.poll();
      heaviest = next == null ? 0 : next.weight;
      isDone = next == null || !gauge.isToEnd() || isHeavierElsewhere(next);
      if (!isDone) {
        end(next);
      }
      if (nanoTime() - began > ENDING_NANOS) {
        break;
      }
    }
    if (isDone) {
      order.clear();
    } else if (!isEndingLater) {
      isEndingLater = true;
      inNextTurn(this::endMore);
    }
  }

  private void endMore() {
    isEndingLater = false;
    if (!order.isEmpty()) { // else a call of onRead has ended the rest meanwhile
      endSome();
    }
  }

  private void end(Ranked heavy) {
    if (remove(heavy.holder)) { // else the connection has closed since it was ranked
      gauge.onEnded(heavy.holder.side(), heavy.weight);
      heavy.holder.end();
      gauge.measure();
    }
  }

  /**
   * Whether {@code next} is spared because another loop has a much heavier connection and ends that
   * meanwhile. When memory is full, only connections below {@link #TRIFLE_BYTES} are spared.
   */
  private boolean isHeavierElsewhere(Ranked next) {
    return next.weight < gauge.heaviestElsewhere(this) / 4
        && (next.weight < TRIFLE_BYTES || !gauge.isFull());
  }

  private List<Ranked> ranked() {
    long now = nanoTime();
    List<Ranked> order = new ArrayList<>(holders.size());
    for (MemoryHolder holder : holders) {
      long own = holder.weight();
      if (!holder.isShared() || own >= MIN_SHARED_BYTES) {
        long still = Math.max(0, (now - holder.stillSinceNanos()) / SECOND_NANOS);
        long score = own * (1 + Math.min(still, MAX_STILL_SECONDS));
        order.add(
            new Ranked(holder, own, own < CAUSE_BYTES ? score / (1 + holder.moves()) : score));
      }
    }
    order.sort(Comparator.comparingLong(Ranked::score).reversed());
    return order;
  }

  EventExecutor loop() {
    return loop;
  }

  /** Returns the weight of the heaviest connection of this loop. May be called on any thread. */
  long heaviest() {
    return heaviest;
  }

  /** Returns the weight of all connections of this loop. May be called on any thread. */
  long weight() {
    return weight;
  }

  /** Returns the number of connections of apps, which can be ended. May be called on any thread. */
  int apps() {
    return apps;
  }

  /** Returns the heaviest connections. Must be called on the loop. */
  List<MemoryView.Holder> view(int max) {
    return holders.stream()
        .sorted(Comparator.comparingLong(MemoryHolder::weight).reversed())
        .limit(max)
        .map(h -> new MemoryView.Holder(h.side(), h.peer(), h.weight(), h.streams()))
        .toList();
  }

  private long nanoTime() {
    return loop.ticker().nanoTime();
  }

  /**
   * Runs {@code task} in the loop's next turn. A timer that is set in one turn fires in the next
   * turn, whereas a submitted task would still run in this turn.
   */
  private void inNextTurn(Runnable task) {
    schedule(task, 1, TimeUnit.NANOSECONDS);
  }

  private void later(long millis, Runnable task) {
    schedule(task, millis, TimeUnit.MILLISECONDS);
  }

  private void schedule(Runnable task, long delay, TimeUnit unit) {
    try {
      var unused = loop.schedule(task, delay, unit);
    } catch (RejectedExecutionException stopped) {
      ticking = false; // the process ends
    }
  }

  private void post(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      heaviest = 0; // the process ends
    }
  }
}
