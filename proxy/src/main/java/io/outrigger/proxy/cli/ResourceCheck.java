package io.outrigger.proxy.cli;

import io.outrigger.config.bootstrap.Bootstrap;
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
   * @return a line for each error, with file, resource name and field path; empty when nothing
   *     would be refused
   */
  List<String> check(List<Path> paths, Optional<Bootstrap> bootstrap);
}
