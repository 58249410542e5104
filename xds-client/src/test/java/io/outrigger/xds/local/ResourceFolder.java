package io.outrigger.xds.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder of resource files for tests. */
final class ResourceFolder {
  final Path path;

  ResourceFolder(Path path) {
    this.path = path;
  }

  /** Writes a file of these resources. */
  ResourceFolder write(String file, String... resources) {
    return writeText(file, "{\"resources\":[" + String.join(",", resources) + "]}");
  }

  ResourceFolder writeText(String file, String text) {
    try {
      Files.writeString(path.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  ResourceFolder delete(String file) {
    try {
      Files.delete(path.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }
}
