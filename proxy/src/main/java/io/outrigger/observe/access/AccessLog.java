package io.outrigger.observe.access;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;

/** The access log: a line of JSON for each request that has ended. */
@AnyThread
public final class AccessLog implements AutoCloseable {
  private final LogWriter writer;
  private final Runnable reopen;
  private final Clock clock;

  /**
   * @param reopen a task after which the next write opens the log's file again, by its name
   */
  AccessLog(LogWriter writer, Runnable reopen, Clock clock) {
    this.writer = writer;
    this.reopen = reopen;
    this.clock = clock;
  }

  public static AccessLog toStdout() {
    return new AccessLog(LogWriter.stdout("access log"), () -> {}, Clock.systemUTC());
  }

  /**
   * Creates an access log that appends to a file, and reopens this file after log rotation.
   *
   * @throws IOException when the file cannot be opened
   */
  public static AccessLog toFile(Path file) throws IOException {
    var appended = new AppendedFile(file);
    LogWriter writer = LogWriter.started("access log " + file, appended);
    return new AccessLog(writer, appended::reopen, Clock.systemUTC());
  }

  public void reopen() {
    reopen.run();
  }

  /**
   * Returns the observer that logs the calls of one port.
   *
   * @param isServed whether the port belongs to a {@code --serve} address
   */
  public CallObserver of(String name, boolean isServed) {
    return call -> {
      CallRecord entry = call.record(name, clock.millis());
      writer.add(
          lines -> AccessLine.append(lines, entry, isServed), entry.textLength(), call.onLost());
    };
  }

  @Override
  public void close() {
    writer.close();
  }
}
