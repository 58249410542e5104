package io.outrigger.observe.access;

import io.outrigger.base.AnyThread;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Appends to a file that log rotation may rename or remove. After a rename or removal, the file is
 * opened or created again under its name. Writes check the file at most once per {@link
 * #CHECK_PERIOD}, and after {@link #reopen}. Only one thread may write at a time.
 */
@AnyThread
final class AppendedFile extends OutputStream {
  static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

  private final Path path;
  private final Clock clock;
  private OutputStream out;

  /** Identifies the open file; null when the file was removed immediately after it was opened. */
  private @Nullable Object key;

  private volatile long nextCheckMillis;

  /**
   * Opens {@code path}, and creates the file if it does not exist.
   *
   * @throws IOException when the file cannot be opened or created
   */
  AppendedFile(Path path, Clock clock) throws IOException {
    this.path = path;
    this.clock = clock;
    out = opened(path);
    key = keyOf(path);
    nextCheckMillis = clock.millis() + CHECK_PERIOD.toMillis();
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  /**
   * Writes the bytes; throws and writes nothing when the file was removed and cannot be created
   * again.
   */
  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    long now = clock.millis();
    if (now >= nextCheckMillis) {
      nextCheckMillis = now + CHECK_PERIOD.toMillis(); // first, so as not to overwrite reopen()
      try {
        reopenIfMoved();
      } catch (IOException e) {
        reopen(); // so that the next write tries again
        throw e;
      }
    }
    out.write(bytes, offset, length);
  }

  /**
   * Makes the next write check whether the file was renamed or removed. Callable from any thread.
   */
  void reopen() {
    nextCheckMillis = Long.MIN_VALUE;
  }

  private void reopenIfMoved() throws IOException {
    Object there = keyOf(path);
    if (there != null && there.equals(key)) {
      return;
    }
    OutputStream next = opened(path);
    out.close();
    out = next;
    key = keyOf(path);
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private static OutputStream opened(Path path) throws IOException {
    return new FileOutputStream(path.toFile(), true);
  }

  private static @Nullable Object keyOf(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException gone) {
      return null;
    }
  }
}
