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
 * Appends to a file that log rotation may rename or remove: the file of that name is then opened,
 * or made, anew. A write checks for that first, at most once per {@link #LOOK}, and after {@link
 * #reopen}. Written by one thread at a time.
 */
@AnyThread
final class AppendedFile extends OutputStream {
  static final Duration LOOK = Duration.ofSeconds(1);

  private final Path path;
  private final Clock clock;
  private OutputStream out;

  /** Identifies the open file; null when the file was removed at once. */
  private @Nullable Object key;

  private volatile long nextLookMillis;

  /**
   * Opens {@code path}, and makes it where it does not exist.
   *
   * @throws IOException when that is not possible
   */
  AppendedFile(Path path, Clock clock) throws IOException {
    this.path = path;
    this.clock = clock;
    out = opened(path);
    key = keyOf(path);
    nextLookMillis = clock.millis() + LOOK.toMillis();
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  /** Fails, and writes nothing, when the file is gone and cannot be made again. */
  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    long now = clock.millis();
    if (now >= nextLookMillis) {
      nextLookMillis = now + LOOK.toMillis(); // first: reopen() may come meanwhile
      try {
        reopenIfMoved();
      } catch (IOException e) {
        reopen(); // the next write tries again
        throw e;
      }
    }
    out.write(bytes, offset, length);
  }

  /** Has the next write check at once. Any thread may call it. */
  void reopen() {
    nextLookMillis = Long.MIN_VALUE;
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
