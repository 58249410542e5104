package io.outrigger.observe.access;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.memory.OutOfMemory;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the lines of a log. Event loops add entries to a bounded queue without waiting. When the
 * queue is full, because the disk or the reader of a pipe is slow, the entry is dropped. The writer
 * thread polls the queue every {@link #PERIOD}, since waking this thread would cost one system call
 * per entry.
 */
@AnyThread
final class LogWriter implements AutoCloseable {
  /**
   * The maximum number of queued entries, enough for half a second of 100,000 requests per second.
   * To bound the heap, an entry with a long path counts as several entries.
   */
  private static final int MAX_WAITING = 50_000;

  private static final Logger log = LoggerFactory.getLogger(LogWriter.class);
  private static final Duration PERIOD = Duration.ofMillis(50);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
  private static final int BATCH_CHARS = 64 << 10;

  /** An entry with fewer characters takes one slot of the queue; longer entries take more. */
  private static final int CHARS_PER_SLOT = 128;

  private final ConcurrentLinkedQueue<Queued> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger occupied = new AtomicInteger(); // occupied slots of the queue

  private final String name;
  private final OutputStream out;
  private final int slots;
  private final Thread writer;
  private volatile boolean closing;

  /** {@link Queued#onLost} of each entry of the batch. Confined to the writer thread. */
  private final List<Runnable> losses = new ArrayList<>();

  /** Whether the last write failed. Confined to the writer thread. */
  private boolean failing;

  interface Entry {
    /** Appends the entry's lines, each with its line break. Runs on the writer thread. */
    void append(StringBuilder lines);
  }

  private record Queued(Entry entry, int slots, Runnable onLost) {}

  /**
   * @param name the kind of log and its file, such as {@code access log stdout}, for messages
   * @param out the output, which {@link #close} closes
   * @param slots the capacity of the queue; an entry with long text takes several slots
   */
  LogWriter(String name, OutputStream out, int slots) {
    this.name = name;
    this.out = out;
    this.slots = slots;
    writer = new Thread(this::run, name.substring(0, name.indexOf(' ')) + "-log");
    writer.setDaemon(true);
  }

  /** Starts a log that is written to stdout; messages name the given kind of log. */
  static LogWriter stdout(String kind) {
    return started(kind + " stdout", new Stdout());
  }

  static LogWriter started(String name, OutputStream out) {
    var writer = new LogWriter(name, out, MAX_WAITING);
    writer.start();
    return writer;
  }

  void start() {
    writer.start();
  }

  /**
   * Adds an entry.
   *
   * @param chars the length of the texts that the entry keeps on the heap while it is queued
   * @param onLost runs on any thread if the queue is full, or the entry cannot be written
   */
  void add(Entry entry, int chars, Runnable onLost) {
    var queued = new Queued(entry, 1 + chars / CHARS_PER_SLOT, onLost);
    if (occupied.addAndGet(queued.slots) > slots) {
      occupied.addAndGet(-queued.slots);
      onLost.run();
      return;
    }
    queue.add(queued);
  }

  private void run() {
    var batch = new StringBuilder();
    while (true) {
      boolean last = closing; // read first, so that all entries added before close are written
      try {
        writeQueued(batch);
      } catch (OutOfMemoryError e) { // only this batch is lost
        lose();
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
    Queued next;
    while ((next = queue.poll()) != null) {
      occupied.addAndGet(-next.slots);
      losses.add(next.onLost);
      next.entry.append(batch);
      if (batch.length() >= BATCH_CHARS) {
        write(batch);
      }
    }
    if (batch.length() > 0) {
      write(batch);
    }
  }

  /**
   * Writes a batch. Logs the first failure, and the first success after a failure; entries in
   * between are lost.
   */
  private void write(StringBuilder batch) {
    try {
      out.write(batch.toString().getBytes(StandardCharsets.UTF_8));
      out.flush();
      losses.clear();
      if (failing) {
        failing = false;
        log.info("{}: can be written again", name);
      }
    } catch (IOException e) {
      lose();
      if (!failing) {
        failing = true;
        log.warn("{}: cannot be written, lines are lost: {}", name, e.getMessage());
      }
    }
    batch.setLength(0);
  }

  /** Counts the entries of the batch as lost. Allocates nothing. */
  private void lose() {
    for (int i = 0; i < losses.size(); i++) {
      losses.get(i).run();
    }
    losses.clear();
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
      log.warn("{}: cannot be closed: {}", name, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The standard output, which the access log and the audit log share: writes are atomic, and
   * closing does nothing.
   */
  private static final class Stdout extends OutputStream {
    private static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      synchronized (OUT) { // only threads of log writers call this method
        OUT.write(bytes, offset, length);
      }
    }
  }
}
