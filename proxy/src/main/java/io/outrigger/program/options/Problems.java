package io.outrigger.program.options;

import java.util.ArrayList;
import java.util.List;

/** Collects lines about wrong input, so that all of them are told at once. */
final class Problems {
  private final List<String> lines = new ArrayList<>();

  void add(String place, String message) {
    lines.add(place + ": " + message);
  }

  void addAll(InvalidInput input) {
    lines.addAll(input.lines());
  }

  /** {@code last} itself where it is the only one, else all of them. */
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
