package io.outrigger.program.options;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The text that was given for each flag. The command line overrides the environment, which
 * overrides the YAML file. A flag takes its whole value from one source, even when the value is a
 * list.
 */
record GivenFlags(Map<Flag, Given> given) {
  /**
   * @param origin is the flag's name in messages, for example {@code --admin}, {@code
   *     OUTRIGGER_ADMIN} or {@code outrigger.yaml: admin}
   * @param values contains one value, or all values of a repeatable flag
   */
  record Given(String origin, List<String> values) {
    Given {
      values = List.copyOf(values);
    }

    String last() {
      return values.get(values.size() - 1);
    }
  }

  static GivenFlags of(Map<Flag, List<String>> commandLine, Map<String, String> environment)
      throws InvalidInput {
    Map<Flag, Given> given = new EnumMap<>(Flag.class);
    for (Flag flag : Flag.values()) {
      String variable = environment.getOrDefault(flag.variable(), "");
      if (commandLine.containsKey(flag)) {
        given.put(flag, new Given(flag.option(), commandLine.getOrDefault(flag, List.of())));
      } else if (!variable.isBlank()) {
        given.put(flag, new Given(flag.variable(), fromVariable(flag, variable)));
      }
    }
    Given file = given.get(Flag.CONFIG);
    if (file != null) {
      ConfigFile.read(Path.of(file.last()), file.origin()).forEach(given::putIfAbsent);
    }
    return new GivenFlags(given);
  }

  Optional<Given> get(Flag flag) {
    return Optional.ofNullable(given.get(flag));
  }

  List<String> values(Flag flag) {
    return get(flag).map(Given::values).orElse(List.of());
  }

  /** Returns a flag's name in messages: its {@link Given#origin}, or else {@link Flag#option}. */
  String origin(Flag flag) {
    return get(flag).map(Given::origin).orElse(flag.option());
  }

  private static List<String> fromVariable(Flag flag, String value) {
    if (flag.arity() != Flag.Arity.MANY) {
      return List.of(value.strip());
    }
    return Arrays.stream(value.split(",", -1))
        .map(String::strip)
        .filter(v -> !v.isEmpty())
        .toList();
  }
}
