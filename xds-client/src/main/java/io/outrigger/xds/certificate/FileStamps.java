package io.outrigger.xds.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * By what a change of files shows without reading them: which file a path leads to, through all
 * links, when it was written, and its size (decision xds 0045).
 */
record FileStamps(List<Optional<Stamp>> stamps) {
  private record Stamp(@Nullable Object key, FileTime modified, long size) {}

  /** Of no look at all. */
  static final FileStamps NONE = new FileStamps(List.of());

  /** Looks once; blocks about as long as the file system takes for one question a file. */
  static FileStamps of(Stream<String> paths) {
    return new FileStamps(paths.map(FileStamps::stamp).toList());
  }

  /** Whether a file was written in place, or made anew, rather than replaced by another one. */
  boolean showWritingSince(FileStamps before) {
    for (int i = 0; i < Math.min(stamps.size(), before.stamps.size()); i++) {
      Optional<Stamp> now = stamps.get(i);
      Optional<Object> key = before.stamps.get(i).map(Stamp::key);
      if (now.isPresent()
          && !now.equals(before.stamps.get(i))
          && (key.isEmpty() || key.equals(now.map(Stamp::key)))) {
        return true;
      }
    }
    return false;
  }

  private static Optional<Stamp> stamp(String path) {
    try {
      var file = Files.readAttributes(Path.of(path), BasicFileAttributes.class);
      return Optional.of(new Stamp(file.fileKey(), file.lastModifiedTime(), file.size()));
    } catch (IOException | InvalidPathException notThere) {
      return Optional.empty();
    }
  }
}
