package io.outrigger.xds.status;

import java.nio.file.Path;

/**
 * An error of a file or of its content.
 *
 * @param line the line, counted from 1; 0 if the error does not concern a single line
 * @param column the column, counted from 1; 0 if the error concerns the whole line
 * @param message the reason, with the resource and field if known
 */
public record FileProblem(Path file, int line, int column, String message) {
  public FileProblem(Path file, String message) {
    this(file, 0, 0, message);
  }

  @Override
  public String toString() {
    String place = line == 0 ? "" : column == 0 ? ":" + line : ":" + line + ":" + column;
    return file + place + ": " + message;
  }
}
