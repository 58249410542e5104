package io.outrigger.xds.local;

import io.outrigger.base.AnyThread;
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

/**
 * All overlay files at one moment: their last valid rules and their problems. Each reading starts
 * from the result of the previous reading: unchanged files are not read again, and an invalid file
 * keeps its last valid rules.
 *
 * @param files the files by path, in the order of precedence of their rules
 */
@AnyThread
public record OverlayFiles(
    Map<Path, WatchedFile<Rules>> files, Overlay overlay, List<FileProblem> problems) {
  public static final OverlayFiles NONE = new OverlayFiles(Map.of(), Overlay.NONE, List.of());

  public OverlayFiles {
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    problems = List.copyOf(problems);
  }

  public List<FileProblem> ignored() {
    return files.values().stream().flatMap(file -> file.content().ignored().stream()).toList();
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
    Map<Path, WatchedFile<Rules>> files =
        WatchedFile.readAll(roots, OverlayFormat.FORMAT, before.files, problems);
    files.values().forEach(file -> problems.addAll(file.problems()));
    List<ClusterRule> clusters = new ArrayList<>();
    List<RouteRule> routes = new ArrayList<>();
    Map<String, OverlayRule> named = new HashMap<>();
    for (WatchedFile<Rules> file : files.values()) {
      Optional<FileProblem> conflict = conflict(file, named);
      if (conflict.isPresent()) {
        problems.add(conflict.get());
      } else {
        Overlay overlay = file.content().overlay();
        overlay.rules().forEach(rule -> named.put(rule.name(), rule));
        clusters.addAll(overlay.clusters());
        routes.addAll(overlay.routes());
      }
    }
    var overlay = new Overlay(clusters, routes);
    return new OverlayFiles(
        files, overlay.equals(before.overlay) ? before.overlay : overlay, problems);
  }

  /** Returns a problem if a rule of the file has the name of an earlier rule. */
  private static Optional<FileProblem> conflict(
      WatchedFile<Rules> file, Map<String, OverlayRule> named) {
    return file.content().overlay().rules().stream()
        .filter(rule -> named.containsKey(rule.name()))
        .map(
            rule ->
                new FileProblem(
                    file.path(),
                    rule.line(),
                    0,
                    "rule %s has the name of the %s; no rule of this file counts"
                        .formatted(rule.name(), named.get(rule.name()))))
        .findFirst();
  }
}
