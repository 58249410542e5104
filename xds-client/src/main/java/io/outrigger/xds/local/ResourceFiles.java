package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.ResourceType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All resource files at one moment. Each reading starts from the one before, so that unchanged
 * files are not read again and a file that went bad keeps its last good resources.
 *
 * @param files by path, in the order in which they were found
 * @param snapshot of what is served
 * @param unlisted what is wrong with the paths that were asked for
 * @param conflicts names that are defined twice
 */
@AnyThread
public record ResourceFiles(
    Map<Path, ResourceFile> files,
    ResourceSnapshot snapshot,
    List<ResourceProblem> unlisted,
    List<ResourceProblem> conflicts) {
  /** Before anything was read. */
  public static final ResourceFiles NONE =
      new ResourceFiles(Map.of(), ResourceSnapshot.EMPTY, List.of(), List.of());

  public ResourceFiles {
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    unlisted = List.copyOf(unlisted);
    conflicts = List.copyOf(conflicts);
  }

  /** Whether this is of a reading, which finds files or what is wrong. */
  boolean wereRead() {
    return !files.isEmpty() || !unlisted.isEmpty();
  }

  /** Everything that is wrong. */
  List<ResourceProblem> problems() {
    List<ResourceProblem> all = new ArrayList<>(unlisted);
    files.values().forEach(file -> all.addAll(file.problems()));
    all.addAll(conflicts);
    return all;
  }

  /** As {@link #read(List, ResourceFiles)}, for the first time. */
  public static ResourceFiles read(List<Path> roots) {
    return read(roots, NONE);
  }

  /**
   * Reads files, and the files of folders (not of folders within). Blocks for the disk; never
   * throws because of what is there.
   *
   * @param roots in the order in which a name defined twice counts
   */
  static ResourceFiles read(List<Path> roots, ResourceFiles before) {
    List<ResourceProblem> problems = new ArrayList<>();
    Map<Path, ResourceFile> files = new LinkedHashMap<>();
    for (Path root : roots) {
      try {
        for (Path path : list(root, problems)) {
          files.put(path, ResourceFile.read(path, before.find(path)));
        }
      } catch (IOException e) {
        problems.add(new ResourceProblem(root, reason(e)));
        before.files.values().stream()
            .filter(file -> file.path().startsWith(root))
            .forEach(file -> files.put(file.path(), ResourceFile.missing(file)));
      }
    }
    if (files.equals(before.files)) {
      return new ResourceFiles(files, before.snapshot, problems, before.conflicts);
    }
    List<ResourceProblem> conflicts = new ArrayList<>();
    var snapshot = ResourceSnapshot.of(merge(files.values(), conflicts));
    return new ResourceFiles(files, snapshot, problems, conflicts);
  }

  private Optional<ResourceFile> find(Path path) {
    return Optional.ofNullable(files.get(path));
  }

  private static List<Path> list(Path root, List<ResourceProblem> problems) throws IOException {
    if (!Files.isDirectory(root)) {
      if (!Files.exists(root)) {
        throw new NoSuchFileException(root.toString());
      }
      if (!ResourceFile.isResourceFile(root)) {
        problems.add(new ResourceProblem(root, "must end in .json, .yaml or .yml"));
        return List.of();
      }
      return List.of(root);
    }
    List<Path> found;
    try (Stream<Path> entries = Files.list(root)) {
      found =
          entries
              .filter(path -> !String.valueOf(path.getFileName()).startsWith("."))
              .filter(ResourceFile::isResourceFile)
              .filter(Files::isRegularFile)
              .sorted()
              .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    if (found.isEmpty()) {
      problems.add(new ResourceProblem(root, "holds no .json, .yaml or .yml file"));
    }
    return found;
  }

  private static Map<ResourceType<?>, Map<String, Any>> merge(
      Iterable<ResourceFile> files, List<ResourceProblem> problems) {
    Map<ResourceType<?>, Map<String, Any>> merged = new HashMap<>();
    Map<String, Path> definedIn = new HashMap<>();
    for (ResourceFile file : files) {
      for (NamedResource resource : file.resources()) {
        Path first = definedIn.putIfAbsent(resource.subject(), file.path());
        if (first == null) {
          merged
              .computeIfAbsent(resource.type(), type -> new HashMap<>())
              .put(resource.name(), resource.resource());
        } else {
          problems.add(
              new ResourceProblem(
                  file.path(),
                  resource.subject()
                      + " is defined already"
                      + (first.equals(file.path()) ? "" : " in " + first)
                      + "; the first counts"));
        }
      }
    }
    return merged;
  }

  private static String reason(IOException e) {
    return e instanceof NoSuchFileException ? "no such file or folder" : "cannot be read: " + e;
  }
}
