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
 * The attributes by which a change of a file is detected without reading the file (decision
 * xds-0045). The {@code key} changes when a symbolic link in the file's path points to another
 * file, as after an update of a Kubernetes volume.
 */
public record FileStamp(@Nullable Object key, FileTime modified, long size) {
  /** Reads a file's attributes with one blocking system call; empty if the file does not exist. */
  public static Optional<FileStamp> of(String path) {
    try {
      var file = Files.readAttributes(Path.of(path), BasicFileAttributes.class);
      return Optional.of(new FileStamp(file.fileKey(), file.lastModifiedTime(), file.size()));
    } catch (IOException | InvalidPathException notThere) {
      return Optional.empty();
    }
  }
}
