package io.outrigger.program.options;

import java.util.ArrayList;
import java.util.List;

/** Collects errors of the input, so that all are reported together. */
final class Problems {
  private final List<String> lines = new ArrayList<>();

  void add(String place, String message) {
    lines.add(place + ": " + message);
  }

  void addAll(InvalidInput input) {
    lines.addAll(input.lines());
  }

  /** Returns {@code last} itself when it is the only error, else all errors together. */
  InvalidInput and(InvalidInput last) {
    if (lines.isEmpty()) {
      return last;
    }
    addAll(last);
    return new InvalidInput(lines);
  }

  void throwIfAny() throws InvalidInput {
    if (!lines.isEmpty()) {
      throw new InvalidInput(lines);
    }
  }
}
