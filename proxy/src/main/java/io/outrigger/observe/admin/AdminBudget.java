package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the bytes of answers that the readers of all admin servers have not taken yet. For an
 * answer beyond the bound other readers are ended, first the one that has left bytes unread for
 * longest. So a reader that has just asked is not ended for those that never read, and a reader
 * that takes a byte now and then gains nothing by it. An answer that is larger than the bound goes
 * out alone.
 */
@AnyThread
public final class AdminBudget {
  private static final Logger log = LoggerFactory.getLogger(AdminBudget.class);

  private final long maxBytes;

  /** Those that have bytes unread. */
  private final Set<Reader> readers = ConcurrentHashMap.newKeySet();

  private final AtomicLong turns = new AtomicLong();

  /**
   * @param maxBytes beyond which readers are ended
   */
  public AdminBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * A connection or a call that answers are written to.
   *
   * @param end closes it, on any thread, at most once; its bytes no longer count from then on
   */
  public Reader reader(Runnable end) {
    return new Reader(end);
  }

  /** The bytes that are held for all readers together. */
  public long heldBytes() {
    return readers.stream().mapToLong(reader -> reader.bytes.get()).sum();
  }

  /** One that reads. Any thread may add and release. */
  @AnyThread
  public final class Reader {
    private final Runnable end;
    private final AtomicLong bytes = new AtomicLong();
    private volatile long turn;
    private volatile boolean ended;

    private Reader(Runnable end) {
      this.end = end;
    }

    /** {@code count} more bytes wait for this reader; others may be ended for them. */
    public void add(long count) {
      if (ended || count == 0) {
        return;
      }
      if (bytes.getAndAdd(count) == 0) {
        turn = turns.getAndIncrement();
        readers.add(this);
      }
      while (heldBytes() > maxBytes) {
        Optional<Reader> oldest =
            readers.stream()
                .filter(reader -> reader != this)
                .min(Comparator.comparingLong(reader -> reader.turn));
        if (oldest.isEmpty()) {
          return;
        }
        oldest.get().end();
      }
    }

    /** {@code count} of the bytes that were added have been taken, or have been dropped. */
    public void release(long count) {
      if (bytes.addAndGet(-count) == 0) {
        readers.remove(this);
        if (bytes.get() > 0) { // added to meanwhile
          readers.add(this);
        }
      }
    }

    private void end() {
      ended = true;
      if (readers.remove(this)) {
        log.debug("admin: ended a reader of {} unread bytes", bytes.get());
        end.run();
      }
    }
  }
}
