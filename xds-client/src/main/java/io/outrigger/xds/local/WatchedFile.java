package io.outrigger.xds.local;

import io.outrigger.base.AnyThread;
import io.outrigger.base.FileStamp;
import io.outrigger.base.RegularFile;
import io.outrigger.base.Xxh64;
import io.outrigger.xds.status.FileProblem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The last reading of one file, and the content in use.
 *
 * @param stamp the metadata that shows without reading whether the file is unchanged; empty when
 *     the file was not read
 * @param seen the number of times in a row that this stamp was found; the stamp is trusted after
 *     several times, because a file may be written twice within one tick of the file clock
 * @param good whether the content in use comes from a text without problems
 * @param content the content in use: the content of the last text without problems, if such a text
 *     was read
 */
@AnyThread
record WatchedFile<T>(
    Path path,
    Optional<FileStamp> stamp,
    int seen,
    String hash,
    boolean good,
    T content,
    List<FileProblem> problems) {
  /**
   * The number of times in a row that the same stamp must be found. File clocks tick every 2 s at
   * worst, and the stamp is read twice a second.
   */
  private static final int TRUSTED = 8;

  WatchedFile {
    problems = List.copyOf(problems);
  }

  interface Format<T> {
    int maxSize();

    T nothing();

    T parse(Path path, String text, List<FileProblem> problems);
  }

  /**
   * Reads files and the files in folders, but no subfolders, in order. If a path no longer exists,
   * its last content stays in use. Blocks while the disk is read.
   *
   * @param before the last readings of the same paths, by file
   * @param problems receives the problems of the paths themselves
   */
  static <T> Map<Path, WatchedFile<T>> readAll(
      List<Path> roots,
      Format<T> format,
      Map<Path, WatchedFile<T>> before,
      List<FileProblem> problems) {
    Map<Path, WatchedFile<T>> files = new LinkedHashMap<>();
    for (Path root : roots) {
      try {
        for (Path path : FileListing.of(root, problems)) {
          files.put(path, before.getOrDefault(path, unread(path, format)).read(format));
        }
      } catch (IOException e) {
        problems.add(new FileProblem(root, FileListing.reason(e)));
        before.values().stream()
            .filter(file -> file.path().startsWith(root))
            .forEach(file -> files.put(file.path(), file.broken("is not there any more")));
      }
    }
    return files;
  }

  static <T> WatchedFile<T> unread(Path path, Format<T> format) {
    return new WatchedFile<>(path, Optional.empty(), 0, "", false, format.nothing(), List.of());
  }

  /** Reads the file again, unless it is unchanged. Blocks while the disk is read. */
  WatchedFile<T> read(Format<T> format) {
    try {
      Optional<FileStamp> found = FileStamp.of(path.toString());
      int times = found.isPresent() && found.equals(stamp) ? seen + 1 : 1;
      if (times > TRUSTED) {
        return this;
      }
      byte[] bytes = RegularFile.read(path.toString(), format.maxSize());
      String read = HexFormat.of().toHexDigits(Xxh64.hash(bytes));
      return read.equals(hash)
          ? new WatchedFile<>(path, found, times, hash, good, content, problems)
          : parsed(found, times, read, bytes, format);
    } catch (RegularFile.Unreadable e) {
      return broken(e.reason());
    }
  }

  private WatchedFile<T> parsed(
      Optional<FileStamp> found, int times, String read, byte[] bytes, Format<T> format) {
    List<FileProblem> wrong = new ArrayList<>();
    T next;
    try {
      next = format.parse(path, text(bytes), wrong);
    } catch (CharacterCodingException e) {
      wrong.add(new FileProblem(path, "is not UTF-8 text"));
      next = format.nothing();
    }
    boolean isGood = wrong.isEmpty();
    return new WatchedFile<>(
        path, found, times, read, isGood || good, isGood || !good ? next : content, wrong);
  }

  private static String text(byte[] bytes) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    return text.startsWith("\uFEFF") ? text.substring(1) : text; // a byte order mark
  }

  private WatchedFile<T> broken(String reason) {
    var problem = new FileProblem(path, reason);
    return new WatchedFile<>(path, Optional.empty(), 0, "", good, content, List.of(problem));
  }
}
