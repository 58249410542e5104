package io.outrigger.base;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reads files whose paths others have written. A file that is not regular is never opened: opening
 * a pipe blocks until somebody writes to it.
 */
@AnyThread
public final class RegularFile {
  private RegularFile() {}

  /** A file cannot be read; the reason follows its path, in one line and in lower case. */
  public static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean isMissing;

    private Unreadable(String reason, boolean isMissing) {
      super(reason);
      this.isMissing = isMissing;
    }

    /** Such as {@code does not exist}. */
    public String reason() {
      return String.valueOf(getMessage());
    }

    /** Whether there is nothing at the path. */
    public boolean isMissing() {
      return isMissing;
    }
  }

  /**
   * The content of the file at {@code path}. Blocks.
   *
   * @param maxBytes a larger file is refused, and not read further
   */
  public static byte[] read(String path, int maxBytes) throws Unreadable {
    try {
      Path file = Path.of(path);
      if (Files.isDirectory(file)) {
        throw new Unreadable("is a folder", false);
      }
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        throw new Unreadable("is no regular file", false);
      }
      try (InputStream in = Files.newInputStream(file)) {
        byte[] content = in.readNBytes(maxBytes + 1);
        if (content.length > maxBytes) {
          throw new Unreadable("is larger than " + size(maxBytes), false);
        }
        return content;
      }
    } catch (NoSuchFileException e) {
      throw new Unreadable("does not exist", true);
    } catch (AccessDeniedException e) {
      throw new Unreadable("cannot be read: permission denied", false);
    } catch (InvalidPathException e) {
      throw new Unreadable("is not a path: " + PlainText.of(e.getReason()), false);
    } catch (IOException e) {
      throw new Unreadable(
          "cannot be read: " + PlainText.of(String.valueOf(e.getMessage())), false);
    }
  }

  private static String size(int bytes) {
    return bytes < 1 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
  }
}
