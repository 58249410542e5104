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
 * Bounds the bytes of replies that the clients of all admin servers together have not read yet.
 * When a new reply exceeds the bound, other clients are disconnected, first the one that has had
 * unread bytes for the longest time. A client that has just sent a request is therefore not
 * disconnected because of clients that never read. Reading single bytes does not make a client's
 * unread bytes younger. A reply larger than the bound is sent after all other clients with unread
 * bytes have been disconnected.
 */
@AnyThread
public final class AdminBudget {
  private static final Logger log = LoggerFactory.getLogger(AdminBudget.class);

  private final long maxBytes;

  /** The clients that have unread bytes. */
  private final Set<Reader> readers = ConcurrentHashMap.newKeySet();

  private final AtomicLong turns = new AtomicLong();

  /**
   * @param maxBytes the bound; above it, clients are disconnected
   */
  public AdminBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Returns an account for one connection or call that replies are written to.
   *
   * @param end closes the connection; called on any thread, at most once. Its bytes are no longer
   *     counted afterwards
   */
  public Reader reader(Runnable end) {
    return new Reader(end);
  }

  /** Returns the unread bytes of all clients together. */
  public long heldBytes() {
    return readers.stream().mapToLong(reader -> reader.bytes.get()).sum();
  }

  /** The account of one client. Any thread may add and release. */
  @AnyThread
  public final class Reader {
    private final Runnable end;
    private final AtomicLong bytes = new AtomicLong();
    private volatile long turn;
    private volatile boolean ended;

    private Reader(Runnable end) {
      this.end = end;
    }

    /**
     * Adds {@code count} unread bytes to this client's account; other clients may be disconnected
     * to make room.
     */
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

    /** Subtracts {@code count} bytes that were read or dropped. */
    public void release(long count) {
      if (bytes.addAndGet(-count) == 0) {
        readers.remove(this);
        if (bytes.get() > 0) { // another thread has added bytes since
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
