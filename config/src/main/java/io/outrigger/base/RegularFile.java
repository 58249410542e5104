package io.outrigger.base;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Reads files whose paths come from configuration. Only regular files are opened, because opening a
 * pipe blocks until another process opens the pipe for writing.
 */
public final class RegularFile {
  /** The directories of pipes that a shell has opened for writing, such as {@code /dev/fd/63}. */
  private static final List<Path> PIPES = List.of(Path.of("/dev"), Path.of("/proc/self/fd"));

  private RegularFile() {}

  /** Thrown when a file cannot be read. Callers put the file's path before the message. */
  public static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean isMissing;

    private Unreadable(String reason, boolean isMissing) {
      super(reason);
      this.isMissing = isMissing;
    }

    public String reason() {
      return String.valueOf(getMessage());
    }

    public boolean isMissing() {
      return isMissing;
    }
  }

  /** Reads a file of at most {@code maxBytes}; refuses larger files. Blocks. */
  public static byte[] read(String path, int maxBytes) throws Unreadable {
    return read(path, maxBytes, false);
  }

  /**
   * Reads the text of a file of at most {@code maxBytes}; refuses larger files. The file may be a
   * shell pipe, as in {@code --bootstrap <(command)}. Blocks.
   */
  public static String readText(String path, int maxBytes) throws Unreadable {
    try {
      ByteBuffer content = ByteBuffer.wrap(read(path, maxBytes, true));
      return StandardCharsets.UTF_8.newDecoder().decode(content).toString();
    } catch (CharacterCodingException e) {
      throw new Unreadable("is not UTF-8 text", false);
    }
  }

  private static byte[] read(String path, int maxBytes, boolean pipes) throws Unreadable {
    try {
      Path file = Path.of(path);
      var attributes = Files.readAttributes(file, BasicFileAttributes.class);
      boolean isPipe = pipes && PIPES.stream().anyMatch(file::startsWith);
      if (attributes.isDirectory() || (!attributes.isRegularFile() && !isPipe)) {
        String kind = attributes.isDirectory() ? "is a folder" : "is no regular file";
        throw new Unreadable(kind, false);
      }
      if (attributes.size() > maxBytes) { // a large file must not fill the heap
        throw new Unreadable("is larger than " + ByteSize.format(maxBytes), false);
      }
      try (InputStream in = Files.newInputStream(file)) {
        byte[] content = in.readNBytes(maxBytes + 1);
        if (content.length > maxBytes) {
          throw new Unreadable("is larger than " + ByteSize.format(maxBytes), false);
        }
        return content;
      }
    } catch (NoSuchFileException e) {
      throw new Unreadable("does not exist", true);
    } catch (InvalidPathException e) {
      throw new Unreadable("is not a path: " + PlainText.of(e.getReason()), false);
    } catch (IOException e) {
      throw new Unreadable("cannot be read: " + PlainText.of(reason(e)), false);
    }
  }

  /** Returns why the system refuses to read or write a file, without the path of the file. */
  public static String reason(Throwable failure) {
    if (failure instanceof FileSystemException refused && refused.getReason() != null) {
      return refused.getReason();
    }
    if (failure instanceof NoSuchFileException) {
      return "it does not exist";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    return failure instanceof FileSystemException // whose message is the path
        ? failure.getClass().getSimpleName()
        : String.valueOf(failure.getMessage());
  }
}
