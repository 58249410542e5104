package io.outrigger.dataplane.memory;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.netty.util.concurrent.EventExecutor;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.MemoryHolder;
import io.outrigger.http2.PeerErrors.Side;
import io.outrigger.http2.ProcessMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections of one event loop, ranked by the memory that they hold. While memory is short,
 * reading is paused on the connections that hold the most memory. While memory is nearly used up,
 * the connections that hold the most memory are ended one by one. {@link MemoryGauge} measures the
 * memory.
 *
 * <p>The score of a connection is {@code weight * (1 + s)}, where {@code weight} is the number of
 * bytes that the connection holds, and {@code s} is the number of seconds without progress. If a
 * connection holds less than 1 MiB, its score is divided by {@code 1 + moves} ({@link
 * MemoryHolder#moves}). Dividing the score by the moves protects a busy app when thousands of idle
 * connections each hold less than the app, but together hold too much. Reading resumes {@value
 * #SHORT_TICK_MILLIS} ms after a pause, because the peer's next frame may be the WINDOW_UPDATE that
 * frees memory.
 *
 * <p>A loop may have ten thousand connections, so each iteration of the event loop does little
 * work. Only a connection that sends something is paused. One iteration resumes at most {@value
 * #RESUMED_PER_TURN} connections, and spends about 5 ms on ending others (decision proxy-0085).
 */
@LoopConfined
final class LoopMemory implements ProcessMemory.Accounts {
  /** The number of bytes that a loop reads before {@link MemoryGauge} measures memory again. */
  private static final int MEASURED_BYTES = 64 << 10;

  private static final long CALM_TICK_MILLIS = 1_000;
  private static final long SHORT_TICK_MILLIS = 100;
  private static final long ENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MAX_STILL_SECONDS = 255;
  private static final int RESUMED_PER_TURN = 256;

  /**
   * While memory is short but not used up, a connection that holds less than {@code HEAVY_BYTES} is
   * not paused. A connection to a backend is ended only if it holds {@code HEAVY_BYTES} or more.
   */
  private static final int HEAVY_BYTES = 256 << 10;

  private static final int TRIFLE_BYTES = 64 << 10; // see isHeavierElsewhere()

  /** A connection that holds {@code CAUSE_BYTES} is paused or ended even if it is busy. */
  private static final long CAUSE_BYTES = 1 << 20;

  /** Connections with as many {@link MemoryHolder#moves} are read even when memory is used up. */
  private static final int BUSY_MOVES = 8;

  /** The delay of a task that must run in the next iteration of the event loop, not in this one. */
  private static final long NEXT_TURN_NANOS = 1;

  private record Ranked(MemoryHolder holder, long weight, long score) {}

  private final MemoryGauge gauge;
  private final EventExecutor loop;
  private final Set<MemoryHolder> holders = new LinkedHashSet<>();

  /** The connections whose reading is paused, in the order of their pauses. */
  private final Set<MemoryHolder> paused = new LinkedHashSet<>();

  /** The connections that are still to be ended, in the order in which they will be ended. */
  private final Deque<Ranked> order = new ArrayDeque<>();

  /** The bytes of the connection that holds the most, as last measured; other threads read them. */
  private volatile long heaviest;

  private volatile long weight;
  private final AtomicInteger apps = new AtomicInteger();

  private int due; // the number of paused connections to resume in this and the next iterations
  private boolean isResumingLater;
  private boolean isEndingLater;
  private long weighedNanos;
  private long read;
  private boolean isTicking;

  LoopMemory(MemoryGauge gauge, EventExecutor loop) {
    this.gauge = gauge;
    this.loop = loop;
  }

  void open(MemoryHolder holder) {
    holders.add(holder);
    apps.addAndGet(holder.isShared() ? 0 : 1);
    tickLater();
  }

  @Override
  public void close(MemoryHolder holder) {
    if (holders.remove(holder)) {
      paused.remove(holder);
      apps.addAndGet(holder.isShared() ? 0 : -1);
    }
  }

  @Override
  public void onRead(MemoryHolder holder, int bytes) {
    long before = read;
    read += bytes;
    if (before / MEASURED_BYTES != read / MEASURED_BYTES) {
      gauge.measure();
    }
    if (gauge.isShort()) {
      long own = holder.weight();
      if (own >= HEAVY_BYTES && own >= heaviest / 4 && holder.isHeavyByReading(own)) {
        pause(holder);
      }
      if (gauge.isToEnd()) {
        endLater();
      }
    }
  }

  /**
   * When memory is used up, reading from apps is paused, because thousands of idle connections may
   * each send a little, but together send too much. Reading from busy apps ({@link #BUSY_MOVES})
   * continues, unless they hold {@link #CAUSE_BYTES}. Reading from backends continues until the
   * heap is almost full, because busy apps need their responses.
   */
  @Override
  public boolean mayRead(MemoryHolder holder) {
    if (holder.isShared()) {
      return !gauge.isHeapFull();
    }
    boolean mayRead = !gauge.isUsedUp() || isBusy(holder);
    if (!mayRead) {
      pause(holder);
    }
    return mayRead;
  }

  private static boolean isBusy(MemoryHolder holder) {
    return holder.moves() >= BUSY_MOVES && holder.weight() < CAUSE_BYTES;
  }

  private void pause(MemoryHolder holder) {
    if (paused.add(holder)) {
      holder.pauseReading(true);
      resumeLater(SHORT_TICK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void resumeLater(long delay, TimeUnit unit) {
    if (!isResumingLater) {
      schedule(this::resumeSome, delay, unit);
      isResumingLater = true;
    }
  }

  /** Resumes paused connections in several iterations of the loop, unless memory is used up. */
  private void resumeSome() {
    isResumingLater = false;
    gauge.measure();
    due = due == 0 ? paused.size() : Math.min(due, paused.size()); // others have closed
    for (int i = 0; i < RESUMED_PER_TURN && due > 0 && !gauge.isUsedUp(); i++, due--) {
      Iterator<MemoryHolder> first = paused.iterator();
      MemoryHolder holder = first.next();
      first.remove();
      holder.pauseReading(false);
    }
    due = gauge.isUsedUp() ? 0 : due;
    if (due > 0) {
      resumeLater(NEXT_TURN_NANOS, NANOSECONDS);
    } else if (!paused.isEmpty()) {
      resumeLater(SHORT_TICK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void tick() {
    isTicking = false;
    try {
      weigh();
      gauge.onTick();
      if (!paused.isEmpty()) { // unless memory was lacking, they are resumed sooner
        resumeLater(SHORT_TICK_MILLIS, TimeUnit.MILLISECONDS);
      }
    } finally {
      tickLater();
    }
  }

  // isTicking is set last: if memory is lacking for schedule(), the next call tries again.
  private void tickLater() {
    if (!isTicking && !holders.isEmpty()) {
      long delay = gauge.isShort() ? SHORT_TICK_MILLIS : CALM_TICK_MILLIS;
      schedule(this::tick, delay, TimeUnit.MILLISECONDS);
      isTicking = true;
    }
  }

  private void weigh() {
    weighedNanos = loop.ticker().nanoTime();
    long before = weight;
    long sum = 0;
    long most = 0;
    for (MemoryHolder holder : holders) {
      long own = holder.weight();
      sum += own;
      most = Math.max(most, own);
    }
    weight = sum;
    heaviest = most;
    if (sum < before) {
      gauge.onReleased(before - sum);
    }
  }

  /**
   * Ends connections, the highest score first, while {@link MemoryGauge#isToEnd} is true. May be
   * called on any thread.
   */
  void relieve() {
    post(this::endLater);
  }

  private void endLater() {
    tickLater();
    if (!isEndingLater) {
      schedule(this::endSome, NEXT_TURN_NANOS, NANOSECONDS);
      isEndingLater = true;
    }
  }

  /** Ends the connection with the highest score unconditionally. May be called on any thread. */
  void endHeaviest() {
    post(() -> ranked().stream().findFirst().ifPresent(this::end));
  }

  /** Ends some connections, and schedules a task for the rest, so that other tasks can run. */
  private void endSome() {
    isEndingLater = false;
    long began = loop.ticker().nanoTime();
    // Weighing ten thousand connections may take longer than ending one, so it is not repeated.
    if (order.isEmpty() || NANOSECONDS.toMillis(began - weighedNanos) >= SHORT_TICK_MILLIS) {
      weigh(); // the heavy connections may have released their memory since the last collection
    }
    if (order.isEmpty()) {
      order.addAll(ranked());
    }
    do {
      Ranked next = order.poll();
      heaviest = next == null ? 0 : next.weight;
      if (next == null || !gauge.isToEnd() || isHeavierElsewhere(next)) {
        order.clear();
        return;
      }
      end(next);
    } while (loop.ticker().nanoTime() - began <= ENDING_NANOS);
    endLater();
  }

  /**
   * Whether a connection of another loop holds over four times the bytes of the given connection.
   * While memory is full, always false if the given connection holds {@link #TRIFLE_BYTES} or more.
   */
  private boolean isHeavierElsewhere(Ranked next) {
    return next.weight < gauge.heaviestElsewhere(this) / 4
        && (next.weight < TRIFLE_BYTES || !gauge.isFull());
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // only this loop writes the weight
  private void end(Ranked heavy) {
    if (holders.contains(heavy.holder)) { // otherwise the connection has closed since then
      close(heavy.holder);
      weight = Math.max(0, weight - heavy.weight);
      gauge.onEnded(heavy.holder.isShared() ? Side.BACKEND : Side.APP, heavy.weight);
      heavy.holder.end();
      gauge.measure();
    }
  }

  private List<Ranked> ranked() {
    long now = loop.ticker().nanoTime();
    List<Ranked> ranking = new ArrayList<>(holders.size());
    for (MemoryHolder holder : holders) {
      long own = holder.weight();
      if (!holder.isShared() || own >= HEAVY_BYTES) {
        long still = Math.max(0, NANOSECONDS.toSeconds(now - holder.lastProgressNanos()));
        long score = own * (1 + Math.min(still, MAX_STILL_SECONDS));
        ranking.add(
            new Ranked(holder, own, own < CAUSE_BYTES ? score / (1 + holder.moves()) : score));
      }
    }
    ranking.sort(Comparator.comparingLong(Ranked::score).reversed());
    return ranking;
  }

  long heaviest() {
    return heaviest;
  }

  long weight() {
    return weight;
  }

  /** Returns the number of connections of apps. May be called on any thread. */
  int apps() {
    return apps.get();
  }

  private void post(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      // The loop has stopped, because the process ends.
    }
  }

  private void schedule(Runnable task, long delay, TimeUnit unit) {
    try {
      var unused = loop.schedule(task, delay, unit);
    } catch (RejectedExecutionException stopped) {
      // The loop has stopped, because the process ends.
    }
  }
}
