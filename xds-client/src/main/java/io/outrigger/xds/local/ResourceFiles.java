package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.FieldError;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The state of all resource files at one moment. Each reading starts from the previous state:
 * unchanged files are not read again, and a file that became invalid keeps its last valid
 * resources.
 *
 * @param files the files by path, in the order in which they were found
 * @param conflicts the problems of names that are defined twice
 */
@AnyThread
public record ResourceFiles(
    Map<Path, WatchedFile<List<NamedResource>>> files,
    ResourceSnapshot snapshot,
    List<FileProblem> unlisted,
    List<FileProblem> conflicts) {
  public static final ResourceFiles NONE =
      new ResourceFiles(Map.of(), ResourceSnapshot.EMPTY, List.of(), List.of());

  private static final ResourceFormat FORMAT = new ResourceFormat();

  public ResourceFiles {
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    unlisted = List.copyOf(unlisted);
    conflicts = List.copyOf(conflicts);
  }

  /** Whether the files were read. Each reading finds at least one file or problem. */
  boolean wereRead() {
    return !files.isEmpty() || !unlisted.isEmpty();
  }

  List<FileProblem> problems() {
    List<FileProblem> all = new ArrayList<>(unlisted);
    files.values().forEach(file -> all.addAll(file.problems()));
    all.addAll(conflicts);
    return all;
  }

  public static ResourceFiles read(List<Path> roots) {
    return read(roots, NONE);
  }

  /**
   * Reads files and the files in folders, but no subfolders. Blocks while the disk is read. Invalid
   * files and paths cause no exception.
   *
   * @param roots files and folders; if a name is defined twice, the first definition counts
   */
  static ResourceFiles read(List<Path> roots, ResourceFiles before) {
    List<FileProblem> problems = new ArrayList<>();
    Map<Path, WatchedFile<List<NamedResource>>> files =
        WatchedFile.readAll(roots, FORMAT, before.files, problems);
    if (files.equals(before.files)) {
      return new ResourceFiles(files, before.snapshot, problems, before.conflicts);
    }
    List<FileProblem> conflicts = new ArrayList<>();
    var snapshot = ResourceSnapshot.of(merge(files.values(), conflicts));
    return new ResourceFiles(files, snapshot, problems, conflicts);
  }

  private static Map<ResourceType<?>, Map<String, Any>> merge(
      Iterable<WatchedFile<List<NamedResource>>> files, List<FileProblem> problems) {
    Map<ResourceType<?>, Map<String, Any>> merged = new HashMap<>();
    Map<String, Path> definedIn = new HashMap<>();
    for (WatchedFile<List<NamedResource>> file : files) {
      for (NamedResource resource : file.content()) {
        Path first = definedIn.putIfAbsent(resource.subject(), file.path());
        if (first == null) {
          merged
              .computeIfAbsent(resource.type(), type -> new HashMap<>())
              .put(resource.name(), resource.resource());
        } else {
          String elsewhere = first.equals(file.path()) ? "" : " in " + first;
          problems.add(
              Places.of(file.path())
                  .problem(
                      resource.steps(),
                      resource.subject(),
                      FieldError.of("is defined already" + elsewhere + "; the first counts")));
        }
      }
    }
    return merged;
  }
}
