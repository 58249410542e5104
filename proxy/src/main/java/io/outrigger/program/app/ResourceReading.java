package io.outrigger.program.app;

import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.xds.local.ResourceFiles;

/** How static resources are read for the first time. */
@FunctionalInterface
public interface ResourceReading {
  /**
   * The files of {@code source}, validated; {@link ResourceFiles#NONE} where it has none. May
   * block.
   *
   * @throws InvalidInput with all that would be refused
   */
  ResourceFiles read(ConfigSource source) throws InvalidInput;
}
