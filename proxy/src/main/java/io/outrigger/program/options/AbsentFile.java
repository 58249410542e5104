package io.outrigger.program.options;

import java.util.List;

/**
 * A file that the user named and that others write is not there, or is not whole. Who has time may
 * wait for it ({@code --bootstrap-timeout}); for all others this is the end.
 */
public final class AbsentFile extends InvalidInput {
  private static final long serialVersionUID = 1L;

  public AbsentFile(String line) {
    super(List.of(line));
  }

  /** Names who asks for the file, and the file. */
  public String line() {
    return lines().get(0);
  }
}
