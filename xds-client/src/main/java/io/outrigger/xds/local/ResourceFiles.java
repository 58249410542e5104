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
    Map<Path, WatchedFile<List<NamedResource>>> files,
    ResourceSnapshot snapshot,
    List<FileProblem> unlisted,
    List<FileProblem> conflicts) {
  /** Before anything was read. */
  public static final ResourceFiles NONE =
      new ResourceFiles(Map.of(), ResourceSnapshot.EMPTY, List.of(), List.of());

  private static final ResourceFormat FORMAT = new ResourceFormat();

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
  List<FileProblem> problems() {
    List<FileProblem> all = new ArrayList<>(unlisted);
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
