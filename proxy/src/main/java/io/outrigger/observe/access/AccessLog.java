package io.outrigger.observe.access;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.memory.OutOfMemory;
import io.outrigger.observe.history.CallRecord;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the access log. Event loops add entries to a bounded queue without waiting. When the queue
 * is full, because the disk or the reader of a pipe is slow, the entry is dropped and counted. The
 * writer thread polls the queue every {@link #PERIOD}, since waking this thread would cost one
 * system call per request.
 */
@AnyThread
public final class AccessLog implements AutoCloseable {
  /**
   * The maximum number of queued entries: half a second at a hundred thousand requests per second.
   */
  static final int MAX_WAITING = 50_000;

  private static final Logger log = LoggerFactory.getLogger(AccessLog.class);
  private static final Duration PERIOD = Duration.ofMillis(50);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
  private static final int BATCH_CHARS = 64 << 10;

  private final ConcurrentLinkedQueue<CallRecord> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final String name;
  private final OutputStream out;
  private final Runnable reopen;
  private final Clock clock;
  private final int maxWaiting;
  private final Thread writer;
  private volatile boolean closing;

  /** Whether the last write failed. Confined to the writer thread. */
  private boolean failing;

  /**
   * @param name the file of {@code out}, for messages
   * @param out the output, which {@link #close} closes
   * @param reopen makes {@code out} reopen its file at the next write
   */
  AccessLog(String name, OutputStream out, Runnable reopen, Clock clock, int maxWaiting) {
    this.name = name;
    this.out = out;
    this.reopen = reopen;
    this.clock = clock;
    this.maxWaiting = maxWaiting;
    writer = new Thread(this::run, "access-log");
    writer.setDaemon(true);
  }

  private static AccessLog started(String name, OutputStream out, Runnable reopen) {
    var access = new AccessLog(name, out, reopen, Clock.systemUTC(), MAX_WAITING);
    access.start();
    return access;
  }

  /** Creates an access log that writes to stdout. */
  public static AccessLog toStdout() {
    return started("stdout", new FileOutputStream(FileDescriptor.out), () -> {});
  }

  /**
   * Creates an access log that appends to {@code file} and reopens it after log rotation.
   *
   * @throws IOException when the file cannot be opened
   */
  public static AccessLog toFile(Path file) throws IOException {
    var appended = new AppendedFile(file, Clock.systemUTC());
    return started(file.toString(), appended, appended::reopen);
  }

  /** Makes the next write reopen the file by its name. */
  public void reopen() {
    reopen.run();
  }

  void start() {
    writer.start();
  }

  /** Returns the observer that logs the calls of one forward. */
  public CallObserver of(String forward) {
    return call -> {
      if (waiting.incrementAndGet() > maxWaiting) {
        waiting.decrementAndGet();
        return false;
      }
      queue.add(CallRecord.of(forward, call, clock.millis()));
      return true;
    };
  }

  private void run() {
    var batch = new StringBuilder();
    while (true) {
      boolean last = closing; // read first, so that all entries added before close are written
      try {
        writeQueued(batch);
      } catch (OutOfMemoryError e) { // only this batch is lost
        batch.setLength(0);
        OutOfMemory.onLoop(e);
      }
      if (last) {
        return;
      }
      LockSupport.parkNanos(this, PERIOD.toNanos());
    }
  }

  private void writeQueued(StringBuilder batch) {
    CallRecord entry;
    while ((entry = queue.poll()) != null) {
      waiting.decrementAndGet();
      AccessLine.append(batch, entry);
      if (batch.length() >= BATCH_CHARS) {
        write(batch);
      }
    }
    if (batch.length() > 0) {
      write(batch);
    }
  }

  /**
   * Writes a batch. Logs the first failure, and the first success after a failure; the lines
   * between them are lost.
   */
  private void write(StringBuilder batch) {
    try {
      out.write(batch.toString().getBytes(StandardCharsets.US_ASCII));
      out.flush();
      if (failing) {
        failing = false;
        log.info("access log {}: can be written again", name);
      }
    } catch (IOException e) {
      if (!failing) {
        failing = true;
        log.warn("access log {}: cannot be written, lines are lost: {}", name, e.getMessage());
      }
    }
    batch.setLength(0);
  }

  /** Writes the queued entries for at most two seconds, then closes the output. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(writer);
    try {
      writer.join(CLOSE_LIMIT.toMillis());
      out.close();
    } catch (IOException e) {
      log.warn("access log {}: cannot be closed: {}", name, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
