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
          files.put(path, read(path, format, Optional.ofNullable(before.get(path))));
        }
      } catch (IOException e) {
        problems.add(new FileProblem(root, FileListing.reason(e)));
        before.values().stream()
            .filter(file -> file.path().startsWith(root))
            .forEach(file -> files.put(file.path(), missing(file, format)));
      }
    }
    return files;
  }

  /**
   * Reads a file, unless the file is unchanged since its last reading. Blocks while the disk is
   * read.
   *
   * @param before the last reading of the same path, if there was one
   */
  static <T> WatchedFile<T> read(Path path, Format<T> format, Optional<WatchedFile<T>> before) {
    try {
      Optional<FileStamp> stamp = FileStamp.of(path.toString());
      int seen =
          before
              .filter(file -> stamp.isPresent() && file.stamp.equals(stamp))
              .map(file -> file.seen + 1)
              .orElse(1);
      if (seen > TRUSTED) {
        return before.orElseThrow();
      }
      byte[] bytes = RegularFile.read(path.toString(), format.maxSize());
      String hash = HexFormat.of().toHexDigits(Xxh64.hash(bytes));
      if (before.isPresent() && before.get().hash.equals(hash)) {
        return before.get().with(stamp, seen);
      }
      return parsed(path, stamp, seen, hash, bytes, format, before);
    } catch (RegularFile.Unreadable e) {
      return broken(path, format, before, e.reason());
    }
  }

  private static <T> WatchedFile<T> missing(WatchedFile<T> before, Format<T> format) {
    return broken(before.path, format, Optional.of(before), "is not there any more");
  }

  private static <T> WatchedFile<T> parsed(
      Path path,
      Optional<FileStamp> stamp,
      int seen,
      String hash,
      byte[] bytes,
      Format<T> format,
      Optional<WatchedFile<T>> before) {
    List<FileProblem> problems = new ArrayList<>();
    T content;
    try {
      content = format.parse(path, text(bytes), problems);
    } catch (CharacterCodingException e) {
      problems.add(new FileProblem(path, "is not UTF-8 text"));
      content = format.nothing();
    }
    boolean good = problems.isEmpty();
    boolean keep = !good && before.map(WatchedFile::good).orElse(false);
    return new WatchedFile<>(
        path,
        stamp,
        seen,
        hash,
        good || keep,
        keep ? before.orElseThrow().content : content,
        problems);
  }

  private static String text(byte[] bytes) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    return text.startsWith("\uFEFF") ? text.substring(1) : text; // a byte order mark
  }

  private static <T> WatchedFile<T> broken(
      Path path, Format<T> format, Optional<WatchedFile<T>> before, String reason) {
    return new WatchedFile<>(
        path,
        Optional.empty(),
        0,
        "",
        before.map(WatchedFile::good).orElse(false),
        before.isPresent() ? before.get().content : format.nothing(),
        List.of(new FileProblem(path, reason)));
  }

  private WatchedFile<T> with(Optional<FileStamp> newStamp, int nowSeen) {
    return new WatchedFile<>(path, newStamp, nowSeen, hash, good, content, problems);
  }
}
