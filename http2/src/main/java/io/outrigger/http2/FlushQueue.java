package io.outrigger.http2;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.outrigger.base.LoopConfined;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one event loop that have frames to flush. One task at the end of the loop's
 * turn flushes all of them, so frames written for many streams, during many socket reads, need one
 * system call per socket.
 */
@LoopConfined
final class FlushQueue {
  /** A connection that can be called at the end of a turn. */
  interface Dirty {
    void onEndOfTurn();
  }

  /** Whether one connection is called at the end of this turn. */
  @LoopConfined
  static final class Mark {
    private final FlushQueue queue;
    private final Dirty connection;
    private boolean set;

    private Mark(FlushQueue queue, Dirty connection) {
      this.queue = queue;
      this.connection = connection;
    }

    /** Schedules one call of the connection, however often this method is called. */
    void set() {
      if (!set) {
        set = true;
        queue.add(connection);
      }
    }

    /** Called when the connection is being served; a later {@link #set} schedules another call. */
    void clear() {
      set = false;
    }

    /** Counts a stream that an app has opened, and also schedules a call of the connection. */
    void onStream() {
      queue.streams++;
      set();
    }
  }

  private static final Logger log = LoggerFactory.getLogger(FlushQueue.class);
  private static final FastThreadLocal<@Nullable FlushQueue> CURRENT = new FastThreadLocal<>();

  private final EventLoop loop;
  private final List<Dirty> dirty = new ArrayList<>();
  private final Runnable task = this::run;
  private final SecondTick tick;
  private boolean scheduled;
  private int streams;

  private FlushQueue(EventLoop loop) {
    this.loop = loop;
    tick = new SecondTick(loop);
  }

  /** The queue of {@code loop}. Must be called on the thread of the loop. */
  static FlushQueue of(EventLoop loop) {
    FlushQueue current = CURRENT.get();
    if (current == null || current.loop != loop) {
      current = new FlushQueue(loop);
      CURRENT.set(current);
    }
    return current;
  }

  /**
   * Schedules a call of {@code connection} at the end of this turn. The caller adds a connection
   * only once per turn.
   */
  void add(Dirty connection) {
    dirty.add(connection);
    if (scheduled) {
      return;
    }
    scheduled = true;
    if (loop instanceof SingleThreadEventLoop turning) {
      turning.executeAfterEventLoopIteration(task);
    } else {
      loop.execute(task);
    }
  }

  /** Calls the connections of the loop once a second. */
  SecondTick tick() {
    return tick;
  }

  /** Creates the mark of {@code connection}, which is not set. */
  Mark mark(Dirty connection) {
    return new Mark(this, connection);
  }

  /** The number of streams that apps have opened in this turn. */
  int streams() {
    return streams;
  }

  private void run() {
    streams = 0;
    // A call may mark other connections or the same one again, for example by returning credit.
    for (int i = 0; i < dirty.size(); i++) {
      serve(dirty.get(i));
    }
    dirty.clear();
    scheduled = false;
  }

  /**
   * Catches any failure of one connection, for example a lack of memory, so that the other
   * connections and later turns are still served.
   */
  private static void serve(Dirty connection) {
    try {
      connection.onEndOfTurn();
    } catch (RuntimeException | Error e) {
      log.error("{}: not served at the end of a turn", connection, e);
    }
  }
}
