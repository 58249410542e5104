package io.outrigger.xds.local;

import io.outrigger.base.AnyThread;
import java.nio.file.Path;

/**
 * Something wrong with a file or a resource in it.
 *
 * @param file the file, or the path that was asked for
 * @param text resource and field where they are known, and the reason
 */
@AnyThread
public record ResourceProblem(Path file, String text) {
  @Override
  public String toString() {
    return file + ": " + text;
  }
}
