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
import java.util.TreeMap;

/**
 * All resource files at one moment: their last valid resources and their problems. Each reading
 * starts from the result of the previous reading: unchanged files are not read again, and an
 * invalid file keeps its last valid resources.
 *
 * @param files the files by path, in the order in which they were found
 * @param owners the file whose definition is in use, by the subject of the resource
 * @param conflicts a problem for each name or listener address that is defined twice
 */
public record ResourceFiles(
    Map<Path, WatchedFile<List<NamedResource>>> files,
    ResourceSnapshot snapshot,
    Map<String, Path> owners,
    List<FileProblem> unlisted,
    List<FileProblem> conflicts) {
  public static final ResourceFiles NONE =
      new ResourceFiles(Map.of(), ResourceSnapshot.EMPTY, Map.of(), List.of(), List.of());

  static final int MAX_SIZE = 64 << 20;

  static final WatchedFile.Format<List<NamedResource>> FORMAT =
      new WatchedFile.Format<>(MAX_SIZE, List.of(), ResourceFiles::parse);

  public ResourceFiles {
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    owners = Map.copyOf(owners);
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
   * @param roots files and folders. If two new definitions have the same name or listener address,
   *     the first one is used
   */
  static ResourceFiles read(List<Path> roots, ResourceFiles before) {
    List<FileProblem> problems = new ArrayList<>();
    Map<Path, WatchedFile<List<NamedResource>>> files =
        WatchedFile.readAll(roots, FORMAT, before.files, problems);
    if (files.equals(before.files)) {
      return new ResourceFiles(files, before.snapshot, before.owners, problems, before.conflicts);
    }
    return merge(files, before, problems);
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
      List<String> steps = document.paths().get(i);
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
   * Merges the files. Of two definitions of a name or listener address, the one in use has
   * precedence, and the other is marked with an error. A listener whose new address is taken keeps
   * its last definition. The resources of a file with a problem are kept and marked with an error.
   */
  private static ResourceFiles merge(
      Map<Path, WatchedFile<List<NamedResource>>> files,
      ResourceFiles before,
      List<FileProblem> unlisted) {
    Map<ResourceType<?>, Map<String, Any>> merged = new HashMap<>();
    Map<ResourceType<?>, Map<String, RpcStatus>> errors = new HashMap<>();
    List<FileProblem> conflicts = new ArrayList<>();
    Map<String, Path> owners = new HashMap<>();
    Map<EndpointAddress, Path> servedIn = new HashMap<>();
    Map<Integer, List<NamedResource>> byRank = new TreeMap<>();
    for (WatchedFile<List<NamedResource>> file : files.values()) {
      Optional<RpcStatus> error = file.problems().stream().findFirst().map(ResourceFiles::error);
      for (NamedResource resource : file.content()) {
        byRank.computeIfAbsent(before.rank(resource), rank -> new ArrayList<>()).add(resource);
        error.ifPresent(status -> put(errors, resource, status));
      }
    }
    for (NamedResource resource : byRank.values().stream().flatMap(List::stream).toList()) {
      Path named = owners.putIfAbsent(resource.subject(), resource.file());
      Optional<NamedResource> used = named == null ? Optional.of(resource) : Optional.empty();
      Optional<FileProblem> conflict =
          named == null
              ? serve(resource, servedIn)
                  .map(other -> conflict(resource, "has the address of another listener", other))
              : Optional.of(conflict(resource, "is defined already", named));
      if (conflict.isPresent()) {
        conflicts.add(conflict.get());
        put(errors, resource, error(conflict.get()));
        used =
            used.flatMap(before::inUse) // the last definition, if its address is still free
                .filter(last -> serve(last, servedIn).isEmpty());
      }
      used.ifPresent(each -> put(merged, each, each.resource()));
    }
    return new ResourceFiles(
        files, ResourceSnapshot.of(merged, errors), owners, unlisted, conflicts);
  }

  /** Returns the place in the order of precedence; lower numbers have precedence. */
  private int rank(NamedResource resource) {
    if (!resource.file().equals(owners.get(resource.subject()))) {
      return 2;
    }
    return inUse(resource).map(used -> used.equals(resource) ? 0 : 1).orElse(2);
  }

  /** Returns the resource of the same name that is in use. */
  private Optional<NamedResource> inUse(NamedResource next) {
    Any used = snapshot.ofType(next.type()).resources().get(next.name());
    return Optional.ofNullable(used)
        .map(any -> new NamedResource(next.type(), next.name(), any, next.file(), next.steps()));
  }

  /** Reserves the address of a listener, or returns the file whose listener has the address. */
  private static Optional<Path> serve(NamedResource resource, Map<EndpointAddress, Path> servedIn) {
    return resource.servedAddress().map(at -> servedIn.putIfAbsent(at, resource.file()));
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
