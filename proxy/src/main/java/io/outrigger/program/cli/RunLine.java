package io.outrigger.program.cli;

import io.outrigger.program.options.Flag;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the command line of {@code outrigger run} if every argument has the form {@code --flag
 * value} or {@code --flag=value}, or is a switch. Picocli reads all other command lines (help,
 * mistakes, values that look like flags). Picocli reports errors well, but loads slowly.
 */
final class RunLine {
  private final Map<Flag, List<String>> given = new EnumMap<>(Flag.class);

  private RunLine() {}

  /** Returns the given flags; empty if picocli must read the arguments. */
  static Optional<Map<Flag, List<String>>> read(String... args) {
    if (args.length == 0 || !args[0].equals("run")) {
      return Optional.empty();
    }
    var line = new RunLine();
    for (int i = 1; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      Optional<Flag> flag = flag(equals < 0 ? args[i] : args[i].substring(0, equals));
      if (flag.isEmpty()) {
        return Optional.empty();
      }
      String value;
      if (equals >= 0) {
        value = args[i].substring(equals + 1);
      } else if (flag.get().arity() != Flag.Arity.SWITCH) {
        value = ++i < args.length ? args[i] : "";
      } else if (i + 1 == args.length || args[i + 1].startsWith("--")) {
        value = "true";
      } else {
        return Optional.empty(); // the next argument may be the value of the switch
      }
      if (!line.take(flag.get(), value)) {
        return Optional.empty();
      }
    }
    return Optional.of(line.given);
  }

  private static Optional<Flag> flag(String option) {
    return option.startsWith("--") ? Flag.ofKey(option.substring(2)) : Optional.empty();
  }

  /**
   * Adds a value of a flag. Returns false if picocli must read the command line: the flag's value
   * is empty or begins with a dash, or a flag that takes one value occurs twice.
   */
  private boolean take(Flag flag, String value) {
    List<String> values = given.computeIfAbsent(flag, f -> new ArrayList<>());
    values.add(value);
    return !value.isEmpty()
        && !value.startsWith("-")
        && (values.size() == 1 || flag.arity() == Flag.Arity.MANY);
  }
}
