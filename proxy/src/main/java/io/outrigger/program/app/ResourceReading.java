package io.outrigger.program.app;

import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.xds.local.ResourceFiles;

/** Reads static resources for the first time. */
@FunctionalInterface
public interface ResourceReading {
  /**
   * Returns the validated files of {@code source}; {@link ResourceFiles#NONE} when it has no files.
   * May block.
   *
   * @throws InvalidInput with all errors that would make the sidecar reject a resource
   */
  ResourceFiles read(ConfigSource source) throws InvalidInput;
}
