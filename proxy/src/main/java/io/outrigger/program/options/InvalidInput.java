package io.outrigger.program.options;

import java.util.List;
import java.util.function.Function;

/** Reports invalid input of the user. Each line names the flag or file, position, and remedy. */
public class InvalidInput extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<String> lines;

  public InvalidInput(String line) {
    this(List.of(line));
  }

  public InvalidInput(List<String> lines) {
    super(String.join("\n", lines));
    this.lines = List.copyOf(lines);
  }

  /**
   * A file of the user's input does not exist or is incomplete. With {@code --bootstrap-timeout},
   * the sidecar waits until another process writes the file; without this flag, the start fails.
   */
  public static final class AbsentFile extends InvalidInput {
    private static final long serialVersionUID = 1L;

    public AbsentFile(String line) {
      super(line);
    }
  }

  /** Parses a text; if the parser fails, the error message begins with the flag's name. */
  public static <T> T read(String flag, String text, Function<String, T> parser)
      throws InvalidInput {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidInput(flag + ": " + e.getMessage());
    }
  }

  /** Returns one line per error. */
  public List<String> lines() {
    return lines;
  }
}
