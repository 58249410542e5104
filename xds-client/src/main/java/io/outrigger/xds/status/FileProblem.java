package io.outrigger.xds.status;

import io.outrigger.base.AnyThread;
import java.nio.file.Path;

/**
 * Something wrong with a file or with what stands in it.
 *
 * @param file the file, or the path that was asked for
 * @param line from 1; 0 when it is about no line alone
 * @param column from 1; 0 when it is about the whole line
 * @param text resource and field where they are known, and the reason
 */
@AnyThread
public record FileProblem(Path file, int line, int column, String text) {
  /** One that is about no line alone. */
  public FileProblem(Path file, String text) {
    this(file, 0, 0, text);
  }

  @Override
  public String toString() {
    String place = line == 0 ? "" : column == 0 ? ":" + line : ":" + line + ":" + column;
    return file + place + ": " + text;
  }
}
