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
 * The connections of one event loop that have something to flush. One task at the end of the loop's
 * turn serves them all: frames written for many streams, during many socket reads, leave with one
 * system call per socket.
 */
@LoopConfined
final class FlushQueue {
  /** Who wants to be called once at the end of the turn. */
  interface Dirty {
    void onEndOfTurn();
  }

  /** Whether one connection is to be called at the end of this turn. */
  @LoopConfined
  static final class Mark {
    private final FlushQueue queue;
    private final Dirty connection;
    private boolean set;

    private Mark(FlushQueue queue, Dirty connection) {
      this.queue = queue;
      this.connection = connection;
    }

    /** Has the connection called, once however often this is called. */
    void set() {
      if (!set) {
        set = true;
        queue.add(connection);
      }
    }

    /** The connection is being served: what comes from now on is for another call. */
    void clear() {
      set = false;
    }

    /** An app has opened a stream; who counts one is also served at the end of the turn. */
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
  private boolean scheduled;
  private int streams;

  private FlushQueue(EventLoop loop) {
    this.loop = loop;
  }

  /** The one of {@code loop}; call it there. */
  static FlushQueue of(EventLoop loop) {
    FlushQueue current = CURRENT.get();
    if (current == null || current.loop != loop) {
      current = new FlushQueue(loop);
      CURRENT.set(current);
    }
    return current;
  }

  /** Calls {@code connection} at the end of this turn. The caller adds itself only once. */
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

  /** The mark of {@code connection}, not set. */
  Mark mark(Dirty connection) {
    return new Mark(this, connection);
  }

  /** How many streams apps have opened in this turn. */
  int streams() {
    return streams;
  }

  private void run() {
    streams = 0;
    // Serving one may make others dirty, or itself again: credit returned, a socket writable.
    for (int i = 0; i < dirty.size(); i++) {
      serve(dirty.get(i));
    }
    dirty.clear();
    scheduled = false;
  }

  /** Whatever happens to one (memory may be short), the others and later turns are served. */
  private static void serve(Dirty connection) {
    try {
      connection.onEndOfTurn();
    } catch (RuntimeException | Error e) {
      log.error("{}: not served at the end of a turn", connection, e);
    }
  }
}
