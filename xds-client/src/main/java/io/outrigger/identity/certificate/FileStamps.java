package io.outrigger.identity.certificate;

import io.outrigger.base.FileStamp;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The stamps of several files, in the order of the files; a stamp is empty when its file does not
 * exist.
 */
record FileStamps(List<Optional<FileStamp>> stamps) {
  /** The stamps before the first check. */
  static final FileStamps NONE = new FileStamps(List.of());

  /** Reads the stamps of {@code paths}. Each file costs about one blocking file system call. */
  static FileStamps of(Stream<String> paths) {
    return new FileStamps(paths.map(FileStamp::of).toList());
  }

  /**
   * Whether a file was written in place or newly created since {@code before}, rather than replaced
   * by another file.
   */
  boolean showInPlaceWriteSince(FileStamps before) {
    for (int i = 0; i < Math.min(stamps.size(), before.stamps.size()); i++) {
      Optional<FileStamp> now = stamps.get(i);
      Optional<Object> key = before.stamps.get(i).map(FileStamp::key);
      if (now.isPresent()
          && !now.equals(before.stamps.get(i))
          && (key.isEmpty() || key.equals(now.map(FileStamp::key)))) {
        return true;
      }
    }
    return false;
  }
}
