package io.outrigger.proxy.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.xds.local.ResourceFiles;
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
   */
  Result check(List<Path> paths, Optional<Bootstrap> bootstrap);

  /**
   * What was found.
   *
   * @param files as they were read
   * @param errors a line for each, with file, resource name and field path; empty when nothing
   *     would be refused
   */
  record Result(ResourceFiles files, List<String> errors) {
    public Result {
      errors = List.copyOf(errors);
    }
  }
}
