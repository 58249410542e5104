package io.outrigger.program.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.xds.local.ResourceFiles;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.OverlayStatus;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Validates static resources as the live client would, offline. */
@FunctionalInterface
public interface ResourceCheck {
  /**
   * Reads and decodes all resources.
   *
   * @param paths files and folders
   * @param bootstrap whose features and certificate providers count; empty: none
   * @param overlay local policy over them
   */
  Result check(List<Path> paths, Optional<Bootstrap> bootstrap, Overlay overlay);

  /**
   * What was found.
   *
   * @param files as they were read
   * @param errors a line for each, with file, place, resource name and field path; empty when
   *     nothing would be refused
   * @param broken the same of what would be taken, and cannot work
   * @param warnings the same of what has no effect, or works only in part
   * @param rules what each rule of the overlay comes to
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

    /** Without anything but errors. */
    public Result(ResourceFiles files, List<String> errors) {
      this(files, errors, List.of(), List.of(), List.of());
    }
  }
}
