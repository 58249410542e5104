package io.outrigger.xds.local;

import io.outrigger.base.AnyThread;
import io.outrigger.xds.status.FileProblem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Lists the files of a path: the file itself, or the files in the folder, ordered by name. */
@AnyThread
final class FileListing {
  private FileListing() {}

  static List<Path> of(Path root, List<FileProblem> problems) throws IOException {
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
    for (Path path : entries(root)) {
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

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .filter(path -> !String.valueOf(path.getFileName()).startsWith("."))
          .filter(FileListing::isDocument)
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  static String reason(IOException e) {
    return e instanceof NoSuchFileException ? "no such file or folder" : "cannot be read: " + e;
  }

  private static boolean isDocument(Path path) {
    return String.valueOf(path.getFileName()).endsWith(".json") || isYaml(path);
  }

  static boolean isYaml(Path path) {
    String name = String.valueOf(path.getFileName());
    return name.endsWith(".yaml") || name.endsWith(".yml");
  }
}
