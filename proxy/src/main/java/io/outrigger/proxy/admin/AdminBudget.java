package io.outrigger.proxy.admin;

import io.outrigger.base.AnyThread;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of answers that the readers of all admin servers have not taken yet, and their bound.
 * When an answer goes beyond the bound, other readers are ended, the heaviest first: the weight of
 * a reader is its bytes times how long it has left some unread. So a reader that has just asked is
 * not ended for those that never read, and one that takes a byte now and then gains nothing by it.
 * An answer that is larger than the bound goes out alone.
 */
@AnyThread
public final class AdminBudget {
  private static final Logger log = LoggerFactory.getLogger(AdminBudget.class);

  /** For this long a reader may leave bytes unread, whether or not others need the room. */
  static final Duration MAX_UNREAD_TIME = Duration.ofSeconds(60);

  /** Added to each age, so that of readers that have just begun the one with most bytes weighs. */
  private static final long LEAST_AGE_NANOS = 1_000_000;

  private static final long ENDED = -1;

  private final long maxBytes;
  private final LongSupplier nanoClock;
  private final Set<Reader> readers = ConcurrentHashMap.newKeySet();
  private final AtomicLong heldBytes = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();

  /**
   * @param maxBytes beyond which readers are ended
   * @param nanoClock the current time in nanoseconds
   */
  public AdminBudget(long maxBytes, LongSupplier nanoClock) {
    this.maxBytes = maxBytes;
    this.nanoClock = nanoClock;
  }

  /**
   * A connection or a call that answers are written to. It weighs nothing until bytes are added.
   *
   * @param end closes it, on any thread, at most once; its bytes no longer count from then on
   */
  public Reader reader(Runnable end) {
    return new Reader(end);
  }

  /** The bytes that are held for all readers together. */
  public long heldBytes() {
    return heldBytes.get();
  }

  /** How many readers have been ended, for room or for time. */
  public long endedReaders() {
    return ended.get();
  }

  /**
   * Ends the heaviest reader.
   *
   * @return the bytes that this gives back; 0 when nobody holds any
   */
  public long endHeaviest() {
    return endHeaviestBut(null);
  }

  private long endHeaviestBut(@Nullable Reader spared) {
    long now = nanoClock.getAsLong();
    Reader heaviest = null;
    double most = 0;
    for (Reader reader : readers) {
      double weight = reader.weight(now);
      if (reader != spared && weight > most) {
        heaviest = reader;
        most = weight;
      }
    }
    return heaviest == null ? 0 : heaviest.end("others need the room");
  }

  /** Ends the readers that have left bytes unread for {@link #MAX_UNREAD_TIME}. */
  public void endOverdue() {
    long now = nanoClock.getAsLong();
    for (Reader reader : readers) {
      if (now - reader.sinceNanos >= MAX_UNREAD_TIME.toNanos()) {
        reader.end("its time is over");
      }
    }
  }

  /** One who reads. Any thread may add, release and end. */
  @AnyThread
  public final class Reader {
    private final Runnable end;
    private final AtomicLong bytes = new AtomicLong();
    private volatile long sinceNanos;

    private Reader(Runnable end) {
      this.end = end;
    }

    /** {@code count} more bytes wait for this reader; others may be ended for them. */
    public void add(long count) {
      long before = bytes.get();
      while (before != ENDED && !bytes.compareAndSet(before, before + count)) {
        before = bytes.get();
      }
      if (before == ENDED || count == 0) {
        return;
      }
      if (before == 0) {
        sinceNanos = nanoClock.getAsLong();
        readers.add(this);
      }
      heldBytes.addAndGet(count);
      while (heldBytes.get() > maxBytes && endHeaviestBut(this) > 0) {
        // the next one
      }
    }

    /** {@code count} of the bytes that were added have been taken, or have been dropped. */
    public void release(long count) {
      long before = bytes.get();
      while (before != ENDED && !bytes.compareAndSet(before, before - count)) {
        before = bytes.get();
      }
      if (before == ENDED) {
        return;
      }
      heldBytes.addAndGet(-count);
      if (before == count) {
        readers.remove(this);
      }
    }

    private double weight(long now) {
      long held = bytes.get();
      return held <= 0 ? 0 : (double) held * (now - sinceNanos + LEAST_AGE_NANOS);
    }

    private long end(String reason) {
      readers.remove(this);
      long given = bytes.getAndSet(ENDED);
      if (given == ENDED) {
        return 0;
      }
      heldBytes.addAndGet(-given);
      ended.incrementAndGet();
      log.debug("admin: ended a reader of {} unread bytes: {}", given, reason);
      end.run();
      return given;
    }
  }
}
