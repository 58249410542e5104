package io.outrigger.program.cli;

import io.outrigger.program.options.InvalidInput;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads the flags of the smaller commands with the grammars of {@code run}'s. */
final class FlagValue {
  private FlagValue() {}

  /** Reads {@code text}; what the parser objects to is wrong input of {@code flag}. */
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
