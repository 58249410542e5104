package io.outrigger.program.cli;

import io.outrigger.program.options.InvalidInput;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads flags of the smaller commands with the parsers of {@code run}. */
final class FlagValue {
  private FlagValue() {}

  /** Reads {@code text}; an error of the parser becomes invalid input of {@code flag}. */
  static <T> T read(String flag, String text, Function<String, T> parser) throws InvalidInput {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new InvalidInput(List.of(flag + ": " + e.getMessage()));
    }
  }

  static <T> Optional<T> read(String flag, Optional<String> text, Function<String, T> parser)
      throws InvalidInput {
    return text.isEmpty() ? Optional.empty() : Optional.of(read(flag, text.get(), parser));
  }
}
