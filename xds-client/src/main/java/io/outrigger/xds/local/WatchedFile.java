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
 * One file as it was read last, and what to use of it.
 *
 * @param stamp shows without reading that the file is still the same; empty when it was not read
 * @param seen how often in a row this stamp was found; it is trusted after some looks, for a file
 *     that was just written may be written again within the same tick of its clock
 * @param hash of the content
 * @param good whether {@code content} comes from a text without problems
 * @param content what to use: of the last good text, while there was one
 * @param problems of the present text
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
   * As often in a row the same stamp must be found: file clocks tick every 2 s at worst, and looks
   * come twice a second.
   */
  private static final int TRUSTED = 8;

  WatchedFile {
    problems = List.copyOf(problems);
  }

  /**
   * What stands in files of one kind.
   *
   * @param <T> what is made of one
   */
  interface Format<T> {
    /** Longer files are not read, in bytes. */
    int maxSize();

    /** What is used of a file that was never good. */
    T nothing();

    /** Reads a text; {@code problems} takes what is wrong with it. */
    T parse(Path path, String text, List<FileProblem> problems);
  }

  /**
   * Reads files, and the files of folders (not of folders within), in their order. What a path held
   * that is not there any more stays in use. Blocks for the disk.
   *
   * @param before what was read of the same paths last, by file
   * @param problems takes what is wrong with the paths themselves
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
   * Reads {@code path}, unless nothing has changed since {@code before}. Blocks for the disk.
   *
   * @param before what was read of the same path, if anything
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

  /** The same content with a problem that is not of the content. */
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
