package io.outrigger.observe.access;

import io.outrigger.base.AnyThread;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Appends to a file that log rotation may rename. After {@link #reopen}, the file is opened or
 * created again under its name. Only one thread may write at a time.
 */
@AnyThread
final class AppendedFile extends OutputStream {
  private static final int FILE_TYPE = 0xF000; // S_IFMT of stat(2)
  private static final int PIPE = 0x1000; // S_IFIFO

  private final Path path;
  private OutputStream out;
  private volatile boolean reopenPending;

  /**
   * Opens the file, or creates the file if it does not exist. A pipe is opened by the first write,
   * because opening it blocks until another process reads from it.
   *
   * @throws IOException when the file cannot be opened or created
   */
  AppendedFile(Path path) throws IOException {
    this.path = path;
    reopenPending = isPipe(path);
    out = reopenPending ? nullOutputStream() : opened(path);
  }

  private static boolean isPipe(Path path) throws IOException {
    return Files.isWritable(path)
        && ((int) Files.getAttribute(path, "unix:mode") & FILE_TYPE) == PIPE;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  /** Writes the bytes; throws and writes nothing when the file cannot be opened again. */
  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    if (reopenPending) {
      reopenPending = false; // cleared first, so that a concurrent reopen() is not lost
      try {
        OutputStream next = opened(path);
        out.close();
        out = next;
      } catch (IOException e) {
        reopenPending = true; // so that the next write tries again
        throw e;
      }
    }
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      reopenPending |= isPipe(path); // the pipe's reader may have restarted
      throw e;
    }
  }

  /** Makes the next write open the file again by its name. Any thread may call this method. */
  void reopen() {
    reopenPending = true;
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
}
