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
 * The attributes of a file by which a change is noticed without reading the content (decision xds
 * 0045): the key of the file to which the path leads through all links, the time of its last
 * change, and its size. A Kubernetes volume swaps a link, so the key changes although the path
 * stays.
 */
public record FileStamp(@Nullable Object key, FileTime modified, long size) {
  /** Returns empty when there is no such file. Blocks for one call to the file system. */
  public static Optional<FileStamp> of(String path) {
    try {
      var file = Files.readAttributes(Path.of(path), BasicFileAttributes.class);
      return Optional.of(new FileStamp(file.fileKey(), file.lastModifiedTime(), file.size()));
    } catch (IOException | InvalidPathException notThere) {
      return Optional.empty();
    }
  }
}
