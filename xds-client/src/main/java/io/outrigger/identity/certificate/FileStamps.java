package io.outrigger.identity.certificate;

import io.outrigger.base.FileStamp;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The stamps of several files, in their order; empty for a file that is not there. */
record FileStamps(List<Optional<FileStamp>> stamps) {
  /** Before the first look. */
  static final FileStamps NONE = new FileStamps(List.of());

  /** Looks once; blocks about as long as the file system takes for one question a file. */
  static FileStamps of(Stream<String> paths) {
    return new FileStamps(paths.map(FileStamp::of).toList());
  }

  /** Whether a file was written in place, or made anew, rather than replaced by another one. */
  boolean showWritingSince(FileStamps before) {
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
