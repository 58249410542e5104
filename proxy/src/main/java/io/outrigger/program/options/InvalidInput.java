package io.outrigger.program.options;

import java.util.List;

/** The user's input is wrong. Each line names the flag or file, the place in it, and the remedy. */
public class InvalidInput extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<String> lines;

  public InvalidInput(List<String> lines) {
    super(String.join("\n", lines));
    this.lines = List.copyOf(lines);
  }

  /** Returns one line per error; at least one. */
  public List<String> lines() {
    return lines;
  }
}
