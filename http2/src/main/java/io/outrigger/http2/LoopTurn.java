package io.outrigger.http2;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.outrigger.base.LoopConfined;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one event loop. At the end of the loop's turn, one task calls each connection
 * that has frames to flush, so that the frames of many streams need only one system call per
 * socket. One timer calls all connections once a second. With a timer for each of ten thousand
 * connections, the loop would wake up ten thousand times a second.
 */
@LoopConfined
final class LoopTurn {
  /** The work that a new stream of a client causes, measured in frames without content. */
  static final int STREAM_WORK = 32;

  /** One connection of the loop; {@link #set} requests its callback at the end of the turn. */
  @LoopConfined
  static final class Mark {
    private final LoopTurn turn;
    private final Object connection;
    private final Runnable onEndOfTurn;
    private final LongConsumer onTick;
    private boolean set;
    private long work;

    private Mark(LoopTurn turn, Object connection, Runnable onEndOfTurn, LongConsumer onTick) {
      this.turn = turn;
      this.connection = connection;
      this.onEndOfTurn = onEndOfTurn;
      this.onTick = onTick;
    }

    /** Starts the calls of {@code onTick}; if this fails, the caller must call {@link #close}. */
    void open() {
      turn.connections.add(this);
      turn.tickLater();
    }

    /** Schedules the connection's callback, unless it is already scheduled. */
    void set() {
      if (!set) {
        turn.add(this);
        set = true;
      }
    }

    void clear() {
      set = false;
    }

    /** Counts work that the peer has caused, as a number of frames, and calls {@link #set}. */
    void onWork(int frames) {
      work += frames;
      turn.work += frames;
      set();
    }

    long work() {
      return work;
    }

    /** The work of all connections in this turn of the loop. */
    int workOfTurn() {
      return turn.work;
    }

    /**
     * Whether the connection must not be read now, because the first call of this method in this
     * turn was 5 ms ago. If so, {@code retry} is called after other sockets have been read.
     */
    boolean postpone(Runnable retry) {
      long now = turn.loop.ticker().nanoTime();
      if (turn.askedNanos == 0) {
        turn.runLater();
        turn.askedNanos = now;
      }
      boolean isLate = now - turn.askedNanos >= SLICE_NANOS;
      if (isLate) {
        turn.postponed.add(retry);
        turn.resumeLater();
      }
      return isLate;
    }

    /** Stops the calls of {@code onTick}; called when the connection is closed. */
    void close() {
      turn.connections.remove(this);
    }
  }

  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int RESUMED_PER_TURN = 32;
  private static final Logger log = LoggerFactory.getLogger(LoopTurn.class);
  private static final FastThreadLocal<@Nullable LoopTurn> CURRENT = new FastThreadLocal<>();

  private final EventLoop loop;
  private final Set<Mark> connections = new LinkedHashSet<>();
  private final List<Mark> dirty = new ArrayList<>();
  private final Runnable task = this::run;
  private boolean scheduled;
  private @Nullable Future<?> ticks;

  /** The connections that the current tick has not served yet. */
  private Iterator<Mark> unserved = Collections.emptyIterator();

  private final Queue<Runnable> postponed = new ArrayDeque<>();
  private boolean isServingLater;
  private boolean isResumingLater;

  /** The time of this turn's first call of {@link Mark#postpone}; 0 before it. */
  private long askedNanos;

  private int work;

  private LoopTurn(EventLoop loop) {
    this.loop = loop;
  }

  /** Returns the {@code LoopTurn} of an event loop. Must be called on the thread of the loop. */
  static LoopTurn of(EventLoop loop) {
    LoopTurn current = CURRENT.get();
    if (current == null || current.loop != loop) {
      current = new LoopTurn(loop);
      CURRENT.set(current);
    }
    return current;
  }

  /**
   * Returns the mark of a new connection. The connection must later call {@link Mark#open}.
   *
   * @param connection the object whose text names the connection in the log
   * @param onEndOfTurn called at the end of each turn in which the mark was set
   * @param onTick called once a second with the time by the loop's clock
   */
  Mark mark(Object connection, Runnable onEndOfTurn, LongConsumer onTick) {
    return new Mark(this, connection, onEndOfTurn, onTick);
  }

  // Any call may fail for lack of memory. The flag is set last, so that a failed call is repeated.
  private void add(Mark mark) {
    dirty.add(mark);
    runLater();
  }

  private void runLater() {
    if (!scheduled) {
      if (loop instanceof SingleThreadEventLoop turning) {
        turning.executeAfterEventLoopIteration(task);
      } else {
        loop.execute(task);
      }
      scheduled = true;
    }
  }

  private void run() {
    work = 0;
    askedNanos = 0;
    try {
      // The list may grow: a callback may set the mark of the same or of another connection.
      for (int i = 0; i < dirty.size(); i++) {
        Mark mark = dirty.get(i);
        guard(mark, mark.onEndOfTurn);
      }
      dirty.clear();
    } finally {
      scheduled = false;
      tickLater();
    }
  }

  private void resumeLater() {
    if (!isResumingLater && !postponed.isEmpty()) {
      afterReads(this::resumeSome);
      isResumingLater = true;
    }
  }

  private void resumeSome() {
    isResumingLater = false;
    for (int i = 0; i < RESUMED_PER_TURN && !postponed.isEmpty(); i++) {
      postponed.remove().run();
    }
    resumeLater();
  }

  /** Runs a task when the sockets that are ready now have been read. */
  private void afterReads(Runnable task) {
    loop.schedule(task, 1, TimeUnit.NANOSECONDS);
  }

  /** Catches any failure of one connection, so that the other connections are still served. */
  private static void guard(Mark mark, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      try {
        log.error("{}: not served by its event loop", mark.connection, e);
      } catch (OutOfMemoryError again) {
        // The log line is left out for lack of memory. The next connection is still served.
      }
    }
  }

  private void tickLater() {
    if ((ticks == null || ticks.isDone()) && !connections.isEmpty()) {
      try {
        ticks = loop.scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
      } catch (RejectedExecutionException stopped) {
        // The loop has stopped because the process ends.
      }
    }
  }

  /** Serves each connection. If this method threw, the timer would not repeat it. */
  private void tick() {
    try {
      if (!unserved.hasNext()) {
        unserved = List.copyOf(connections).iterator(); // copied, as a connection may close
      }
      if (!isServingLater) {
        serveSome();
      }
      resumeLater(); // in case that there was no memory for it
    } catch (OutOfMemoryError e) {
      // The next tick tries again.
    }
    if (connections.isEmpty() && ticks != null) {
      ticks.cancel(false);
      ticks = null;
    }
  }

  /** Serves connections for about 5 ms, and the others after the loop has read its sockets. */
  private void serveSome() {
    isServingLater = false;
    long now = loop.ticker().nanoTime();
    while (unserved.hasNext()) {
      if (loop.ticker().nanoTime() - now > SLICE_NANOS) {
        afterReads(this::serveSome);
        isServingLater = true;
        return;
      }
      Mark mark = unserved.next();
      guard(mark, () -> mark.onTick.accept(now));
    }
  }
}
