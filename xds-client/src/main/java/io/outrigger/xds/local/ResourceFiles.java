package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.FieldError;
import io.outrigger.xds.decode.ResourceJson;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All resource files at one moment: their last valid resources and their problems. Each reading
 * starts from the result of the previous reading: unchanged files are not read again, and an
 * invalid file keeps its last valid resources.
 *
 * @param files the files by path, in the order in which they were found
 * @param conflicts a problem for each name or listener address that is defined twice
 */
public record ResourceFiles(
    Map<Path, WatchedFile<List<NamedResource>>> files,
    ResourceSnapshot snapshot,
    List<FileProblem> unlisted,
    List<FileProblem> conflicts) {
  public static final ResourceFiles NONE =
      new ResourceFiles(Map.of(), ResourceSnapshot.EMPTY, List.of(), List.of());

  static final int MAX_SIZE = 64 << 20;

  static final WatchedFile.Format<List<NamedResource>> FORMAT =
      new WatchedFile.Format<>(MAX_SIZE, List.of(), ResourceFiles::parse);

  public ResourceFiles {
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    unlisted = List.copyOf(unlisted);
    conflicts = List.copyOf(conflicts);
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
   * Reads the given files, and the files in the given folders but not in subfolders. Blocks while
   * the disk is read. Never throws.
   *
   * @param roots files and folders; of two new definitions of a name or listener address, the first
   *     is used
   */
  static ResourceFiles read(List<Path> roots, ResourceFiles before) {
    List<FileProblem> problems = new ArrayList<>();
    Map<Path, WatchedFile<List<NamedResource>>> files =
        WatchedFile.readAll(roots, FORMAT, before.files, problems);
    if (files.equals(before.files)) {
      return new ResourceFiles(files, before.snapshot, problems, before.conflicts);
    }
    List<FileProblem> conflicts = new ArrayList<>();
    ResourceSnapshot merged = merge(files.values(), before.snapshot, conflicts);
    return new ResourceFiles(files, merged, problems, conflicts);
  }

  /** Parses a document of resources (CONTRACT section 4). */
  private static List<NamedResource> parse(Path path, String text, List<FileProblem> problems) {
    var positions = new Positions(path, text, MAX_SIZE);
    ResourceJson.Document document;
    try {
      document =
          WatchedFile.isYaml(path)
              ? ResourceJson.of(positions.tree().json())
              : ResourceJson.parse(text);
    } catch (YamlReader.Unreadable e) {
      problems.add(positions.problem(e));
      return List.of();
    }
    document.errors().forEach(error -> problems.add(positions.problem(List.of(), "", error)));
    List<NamedResource> resources = new ArrayList<>();
    for (int i = 0; i < document.resources().size(); i++) {
      Any any = document.resources().get(i);
      List<String> steps = document.steps().get(i);
      NamedResource.of(any, path, steps)
          .ifPresentOrElse(
              resources::add,
              () -> problems.add(positions.problem(steps, "", FieldError.of(nameless(any)))));
    }
    return List.copyOf(resources);
  }

  private static String nameless(Any any) {
    return "a resource of type " + any.getTypeUrl() + " has no name";
  }

  /**
   * Merges the files. The resources of a file with a problem are kept and marked with an error. Of
   * a name that is defined twice, the definition in use is kept and marked with an error.
   */
  private static ResourceSnapshot merge(
      Iterable<WatchedFile<List<NamedResource>>> files,
      ResourceSnapshot inUse,
      List<FileProblem> problems) {
    Map<ResourceType<?>, Map<String, Any>> merged = new HashMap<>();
    Map<ResourceType<?>, Map<String, RpcStatus>> errors = new HashMap<>();
    Map<String, Path> definedIn = new HashMap<>();
    Map<EndpointAddress, Path> servedIn = new HashMap<>();
    for (WatchedFile<List<NamedResource>> file : files) {
      Optional<RpcStatus> error = file.problems().stream().findFirst().map(ResourceFiles::error);
      for (NamedResource resource : file.content()) {
        Path named = definedIn.putIfAbsent(resource.subject(), file.path());
        Optional<Path> served =
            named == null
                ? resource.servedAddress().map(at -> servedIn.putIfAbsent(at, file.path()))
                : Optional.empty();
        if (named != null) {
          FileProblem conflict = conflict(resource, "is defined already", named);
          problems.add(conflict);
          put(errors, resource, error(conflict));
          Any used = inUse.ofType(resource.type()).resources().get(resource.name());
          if (resource.resource().equals(used)) {
            put(merged, resource, resource.resource());
          }
        } else if (served.isPresent()) { // names must not decide which listener is served
          definedIn.remove(resource.subject());
          problems.add(conflict(resource, "has the address of another listener", served.get()));
        } else {
          put(merged, resource, resource.resource());
          error.ifPresent(status -> put(errors, resource, status));
        }
      }
    }
    return ResourceSnapshot.of(merged, errors);
  }

  private static <T> void put(
      Map<ResourceType<?>, Map<String, T>> all, NamedResource resource, T value) {
    all.computeIfAbsent(resource.type(), type -> new HashMap<>()).put(resource.name(), value);
  }

  private static RpcStatus error(FileProblem problem) {
    return new RpcStatus(RpcStatus.Code.INVALID_ARGUMENT, "error in " + problem);
  }

  private static FileProblem conflict(NamedResource resource, String what, Path first) {
    String otherFile = first.equals(resource.file()) ? "" : " in " + first;
    return Positions.of(resource.file())
        .problem(
            resource.steps(),
            resource.subject(),
            FieldError.of(what + otherFile + "; remove one of the two"));
  }
}
