package io.outrigger.program.options;

import io.outrigger.xds.status.FileProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Collects errors in the user's input, so that one report has all errors. */
final class Problems {
  private final List<String> lines = new ArrayList<>();

  void add(String place, String message) {
    lines.add(place + ": " + message);
  }

  /**
   * Returns the parsed value of a text. If the parser throws an {@link IllegalArgumentException},
   * adds the message of the exception and returns empty.
   */
  <T> Optional<T> parse(String place, String text, Function<String, T> parser) {
    try {
      return Optional.of(parser.apply(text));
    } catch (IllegalArgumentException e) {
      add(place, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  void addFiles(List<FileProblem> problems) {
    problems.forEach(problem -> lines.add(problem.toString()));
  }

  void addAll(InvalidInput input) {
    lines.addAll(input.lines());
  }

  /** Returns the given exception, or an exception with all errors if there are earlier errors. */
  InvalidInput combinedWith(InvalidInput last) {
    if (lines.isEmpty()) {
      return last;
    }
    addAll(last);
    return new InvalidInput(lines);
  }

  /**
   * Throws an {@link IllegalArgumentException} with the given message, unless the condition holds.
   */
  static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  void throwIfAny() throws InvalidInput {
    if (!lines.isEmpty()) {
      throw new InvalidInput(lines);
    }
  }
}
