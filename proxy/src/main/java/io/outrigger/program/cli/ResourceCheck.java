package io.outrigger.program.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.xds.local.ResourceFiles;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.OverlayStatus;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Validates static resources offline, by the rules of the live client. */
@FunctionalInterface
public interface ResourceCheck {
  /**
   * Reads and decodes all resources.
   *
   * @param paths files and folders
   * @param bootstrap supplies the server features and certificate providers; empty means that there
   *     are none
   * @param overlay the local policy that is applied to the resources
   */
  Result check(List<Path> paths, Optional<Bootstrap> bootstrap, Overlay overlay);

  /**
   * The result of a check.
   *
   * @param files the files as they were read
   * @param errors one line per rejected resource, with file, place, resource name and field path;
   *     empty when nothing would be rejected
   * @param broken one line, in the form of {@code errors}, per resource that is accepted but cannot
   *     work
   * @param warnings one line, in the form of {@code errors}, per field that has no effect or works
   *     only in part
   * @param rules the effect of each overlay rule
   */
  record Result(
      ResourceFiles files,
      List<String> errors,
      List<String> broken,
      List<String> warnings,
      List<OverlayStatus.Rule> rules) {
    public Result {
      errors = List.copyOf(errors);
      broken = List.copyOf(broken);
      warnings = List.copyOf(warnings);
      rules = List.copyOf(rules);
    }

    /** Creates a result that has only errors. */
    public Result(ResourceFiles files, List<String> errors) {
      this(files, errors, List.of(), List.of(), List.of());
    }
  }
}
