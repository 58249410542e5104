package io.outrigger.xds.local;

import io.outrigger.base.FileStamp;
import io.outrigger.base.RegularFile;
import io.outrigger.base.Xxh64;
import io.outrigger.xds.status.FileProblem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The result of the last reading of one file, and the content in use.
 *
 * @param stamp the metadata by which an unchanged file is recognized; empty if the file was not
 *     read
 * @param readings the number of consecutive readings with this stamp
 * @param good whether at least one reading of the file found no problem
 * @param content the last valid content, or the last invalid content if none was ever valid
 */
record WatchedFile<T>(
    Path path,
    Optional<FileStamp> stamp,
    int readings,
    String hash,
    boolean good,
    T content,
    List<FileProblem> problems) {
  /**
   * The number of readings with the same stamp after which a file counts as unchanged. The stamp is
   * read twice a second. In a file system whose clock ticks every 2 s, a file may be written twice
   * within one tick.
   */
  private static final int TRUSTED = 8;

  WatchedFile {
    problems = List.copyOf(problems);
  }

  /**
   * @param unread the content in use until the file can be read
   */
  record Format<T>(int maxSize, T unread, Parser<T> parser) {}

  interface Parser<T> {
    T parse(Path path, String text, List<FileProblem> problems);
  }

  /**
   * Reads the given files, and the files in the given folders but not in subfolders, in order. If a
   * path no longer exists, its last content stays in use. Blocks while the disk is read.
   *
   * @param before the result of the previous call for the same {@code roots}
   * @param problems the list to which problems with the paths are added
   */
  static <T> Map<Path, WatchedFile<T>> readAll(
      List<Path> roots,
      Format<T> format,
      Map<Path, WatchedFile<T>> before,
      List<FileProblem> problems) {
    Map<Path, WatchedFile<T>> files = new LinkedHashMap<>();
    for (Path root : roots) {
      try {
        for (Path path : list(root, problems)) {
          files.put(path, before.getOrDefault(path, unread(path, format)).read(format));
        }
      } catch (IOException e) {
        String reason =
            e instanceof NoSuchFileException
                ? "no such file or folder; check the path"
                : "cannot be read: " + RegularFile.reason(e);
        if (!before.containsKey(root)) { // else the file has the same problem
          problems.add(new FileProblem(root, reason));
        }
        before.values().stream()
            .filter(file -> file.path().startsWith(root))
            .forEach(file -> files.put(file.path(), file.broken("is not there any more")));
      }
    }
    return files;
  }

  /** Lists the files of a folder in the order of names; if the root is a file, only this file. */
  private static List<Path> list(Path root, List<FileProblem> problems) throws IOException {
    if (!Files.isDirectory(root)) {
      if (!Files.exists(root)) {
        throw new NoSuchFileException(root.toString());
      }
      if (!isDocument(root)) {
        problems.add(new FileProblem(root, "must end in .json, .yaml or .yml"));
        return List.of();
      }
      return List.of(root);
    }
    List<Path> found = new ArrayList<>();
    for (Path path : documents(root)) {
      if (Files.isRegularFile(path)) {
        found.add(path);
      } else if (!Files.exists(path)) {
        problems.add(new FileProblem(path, "is a link to nothing"));
      }
    }
    if (found.isEmpty()) {
      problems.add(new FileProblem(root, "holds no .json, .yaml or .yml file"));
    }
    return found;
  }

  private static List<Path> documents(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .filter(path -> !String.valueOf(path.getFileName()).startsWith("."))
          .filter(WatchedFile::isDocument)
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static boolean isDocument(Path path) {
    return String.valueOf(path.getFileName()).endsWith(".json") || isYaml(path);
  }

  static boolean isYaml(Path path) {
    String name = String.valueOf(path.getFileName());
    return name.endsWith(".yaml") || name.endsWith(".yml");
  }

  static <T> WatchedFile<T> unread(Path path, Format<T> format) {
    return new WatchedFile<>(path, Optional.empty(), 0, "", false, format.unread(), List.of());
  }

  /** Reads the file again, unless it is unchanged. Blocks while the disk is read. */
  WatchedFile<T> read(Format<T> format) {
    try {
      Optional<FileStamp> found = FileStamp.of(path.toString());
      int times = found.isPresent() && found.equals(stamp) ? readings + 1 : 1;
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
      next = format.parser().parse(path, text(bytes), wrong);
    } catch (CharacterCodingException e) {
      wrong.add(new FileProblem(path, "is not UTF-8 text"));
      next = format.unread();
    }
    boolean isGood = wrong.isEmpty();
    return new WatchedFile<>(
        path, found, times, read, isGood || good, isGood || !good ? next : content, wrong);
  }

  private static String text(byte[] bytes) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    return text.startsWith("\uFEFF") ? text.substring(1) : text; // drops a byte order mark
  }

  private WatchedFile<T> broken(String reason) {
    List<FileProblem> problem = List.of(new FileProblem(path, reason));
    return new WatchedFile<>(path, Optional.empty(), 0, "", good, content, problem);
  }

  /** Returns this file with the content {@code inUse}, because its own content has a problem. */
  WatchedFile<T> refused(FileProblem problem, T inUse) {
    List<FileProblem> all = problems.isEmpty() ? List.of(problem) : problems;
    return new WatchedFile<>(path, stamp, readings, hash, good, inUse, all);
  }
}
