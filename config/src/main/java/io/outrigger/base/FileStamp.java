package io.outrigger.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shows without reading a file whether it has changed: which file a path leads to, through all
 * links, when it was written, and its size (decision xds 0045). A Kubernetes volume swaps a link,
 * which changes the key behind the same path.
 */
public record FileStamp(@Nullable Object key, FileTime modified, long size) {
  /** Empty when there is no file. Blocks about as long as one question to the file system takes. */
  public static Optional<FileStamp> of(String path) {
    try {
      var file = Files.readAttributes(Path.of(path), BasicFileAttributes.class);
      return Optional.of(new FileStamp(file.fileKey(), file.lastModifiedTime(), file.size()));
    } catch (IOException | InvalidPathException notThere) {
      return Optional.empty();
    }
  }
}
