package io.outrigger.observe.access;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Clock;

/** The access log: a line of JSON for each request that has ended. */
@AnyThread
public final class AccessLog implements AutoCloseable {
  /**
   * The maximum number of queued entries: half a second at a hundred thousand requests per second.
   * To bound the heap, an entry with a long path counts as several entries.
   */
  static final int MAX_WAITING = 50_000;

  private final LogWriter writer;
  private final Runnable reopen;
  private final Clock clock;

  /**
   * @param reopen makes the next write of {@code out} reopen its file
   */
  AccessLog(String name, OutputStream out, Runnable reopen, Clock clock, int maxWaiting) {
    writer = new LogWriter("access log " + name, out, maxWaiting);
    this.reopen = reopen;
    this.clock = clock;
  }

  private static AccessLog started(String name, OutputStream out, Runnable reopen) {
    var access = new AccessLog(name, out, reopen, Clock.systemUTC(), MAX_WAITING);
    access.start();
    return access;
  }

  public static AccessLog toStdout() {
    return started("stdout", new LogWriter.Stdout(), () -> {});
  }

  /**
   * Creates an access log that appends to {@code file} and reopens it after log rotation.
   *
   * @throws IOException when the file cannot be opened
   */
  public static AccessLog toFile(Path file) throws IOException {
    var appended = new AppendedFile(file);
    return started(file.toString(), appended, appended::reopen);
  }

  public void reopen() {
    reopen.run();
  }

  void start() {
    writer.start();
  }

  /**
   * Returns the observer that logs the calls of one port.
   *
   * @param isServed whether the port belongs to a {@code --serve}
   */
  public CallObserver of(String name, boolean isServed) {
    return call -> {
      CallRecord entry = call.record(name, clock.millis());
      return writer.add(lines -> AccessLine.append(lines, entry, isServed), entry.textLength());
    };
  }

  @Override
  public void close() {
    writer.close();
  }
}
