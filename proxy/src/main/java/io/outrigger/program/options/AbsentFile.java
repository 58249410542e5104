package io.outrigger.program.options;

import java.util.List;

/**
 * A file that the user named and another process writes is absent or incomplete. With {@code
 * --bootstrap-timeout} the start waits for the file; otherwise the start fails.
 */
public final class AbsentFile extends InvalidInput {
  private static final long serialVersionUID = 1L;

  public AbsentFile(String line) {
    super(List.of(line));
  }
}
