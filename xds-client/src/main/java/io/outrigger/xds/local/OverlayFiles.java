package io.outrigger.xds.local;

import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.local.OverlayFormat.Rules;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.overlay.Overlay.ClusterRule;
import io.outrigger.xds.overlay.Overlay.RouteRule;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All overlay files at one moment: their last valid rules and their problems. Each reading starts
 * from the result of the previous reading: unchanged files are not read again, and an invalid file
 * keeps its last valid rules.
 *
 * @param lastRead the files as they were last read, in the order of precedence of their rules
 * @param inUse the files with the rules in use: if a file repeats a rule name of another file, its
 *     own previous rules stay in use
 */
public record OverlayFiles(
    Map<Path, WatchedFile<Rules>> lastRead,
    Map<Path, WatchedFile<Rules>> inUse,
    Overlay overlay,
    List<FileProblem> problems) {
  public static final OverlayFiles NONE =
      new OverlayFiles(Map.of(), Map.of(), Overlay.NONE, List.of());

  public OverlayFiles {
    lastRead = Collections.unmodifiableMap(new LinkedHashMap<>(lastRead));
    inUse = Collections.unmodifiableMap(new LinkedHashMap<>(inUse));
    problems = List.copyOf(problems);
  }

  public List<FileProblem> ignored() {
    return inUse.values().stream().flatMap(file -> file.content().ignored().stream()).toList();
  }

  public static OverlayFiles read(List<Path> roots) {
    return read(roots, NONE);
  }

  /**
   * Reads the given files, and the files in the given folders but not in subfolders. Blocks while
   * the disk is read. Never throws.
   *
   * @param roots files and folders, in the order of precedence of their rules
   */
  public static OverlayFiles read(List<Path> roots, OverlayFiles before) {
    List<FileProblem> problems = new ArrayList<>();
    Map<Path, WatchedFile<Rules>> found =
        WatchedFile.readAll(roots, OverlayFormat.FORMAT, before.lastRead, problems);
    Map<Path, WatchedFile<Rules>> files = new LinkedHashMap<>(found);
    Optional<FileProblem> conflict = conflict(files, before);
    while (conflict.isPresent()) {
      FileProblem problem = conflict.get();
      files.computeIfPresent(
          problem.file(), (path, file) -> file.refused(problem, before.file(path).content()));
      conflict = conflict(files, before);
    }
    List<ClusterRule> clusters = new ArrayList<>();
    List<RouteRule> routes = new ArrayList<>();
    for (WatchedFile<Rules> file : files.values()) {
      problems.addAll(file.problems());
      clusters.addAll(file.content().overlay().clusters());
      routes.addAll(file.content().overlay().routes());
    }
    Overlay old = before.overlay;
    boolean isSame = clusters.equals(old.clusters()) && routes.equals(old.routes());
    return new OverlayFiles(found, files, isSame ? old : new Overlay(clusters, routes), problems);
  }

  private WatchedFile<Rules> file(Path path) {
    return inUse.getOrDefault(path, WatchedFile.unread(path, OverlayFormat.FORMAT));
  }

  /**
   * Returns a problem if two files have a rule of the same name. The file that had the rule before
   * keeps it; the problem concerns the other file.
   */
  private static Optional<FileProblem> conflict(
      Map<Path, WatchedFile<Rules>> files, OverlayFiles before) {
    Map<String, String> owners = new HashMap<>();
    before.overlay.rules().forEach(rule -> owners.put(rule.name(), rule.file()));
    Predicate<OverlayRule> isOwner = rule -> rule.file().equals(owners.get(rule.name()));
    List<OverlayRule> all =
        files.values().stream().flatMap(file -> file.content().overlay().rules().stream()).toList();
    Map<String, OverlayRule> named = new HashMap<>();
    return Stream.concat(all.stream().filter(isOwner), all.stream().filter(isOwner.negate()))
        .filter(rule -> named.putIfAbsent(rule.name(), rule) != null)
        .findFirst()
        .map(
            rule ->
                new FileProblem(
                    Path.of(rule.file()),
                    rule.line(),
                    0,
                    "rule %s has the name of the %s; give each rule its own name"
                        .formatted(rule.name(), named.get(rule.name()))));
  }
}
