package io.outrigger.proxy.options;

import io.outrigger.proxy.options.Settings.Given;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The file of {@code --config}: a YAML map from flag names to values, lists for repeatable ones.
 */
final class ConfigFile {
  private ConfigFile() {}

  /**
   * Reads {@code file}.
   *
   * @param namedBy the flag or variable that names the file
   */
  static Map<Flag, Given> read(Path file, String namedBy) throws InvalidInput {
    Problems problems = new Problems();
    Map<Flag, Given> settings = new EnumMap<>(Flag.class);
    Object document = parse(file, namedBy);
    if (document instanceof Map<?, ?> map) {
      map.forEach((key, value) -> entry(file, String.valueOf(key), value, settings, problems));
    } else if (document != null) {
      problems.add(file.toString(), "is no map; write lines such as \"admin: 127.0.0.1:9901\"");
    }
    problems.throwIfAny();
    return settings;
  }

  private static void entry(
      Path file, String key, @Nullable Object value, Map<Flag, Given> settings, Problems problems) {
    String origin = file + ": " + key;
    Optional<Flag> flag = Flag.ofKey(key).filter(f -> f != Flag.CONFIG);
    if (flag.isEmpty()) {
      problems.add(origin, "is not known" + suggestion(key) + "; the keys are the flags of run");
      return;
    }
    List<String> values = new ArrayList<>();
    for (Object element : value instanceof List<?> list ? list : listOf(value)) {
      if (element == null || element instanceof Map || element instanceof List) {
        problems.add(origin, "has no plain value; write it as \"" + key + ": value\"");
        return;
      }
      values.add(element.toString());
    }
    if (values.isEmpty() || (values.size() > 1 && flag.get().arity() != Flag.Arity.MANY)) {
      problems.add(origin, values.isEmpty() ? "is an empty list" : "takes one value, not a list");
      return;
    }
    settings.put(flag.get(), new Given(origin, values));
  }

  private static List<@Nullable Object> listOf(@Nullable Object value) {
    List<@Nullable Object> list = new ArrayList<>();
    list.add(value);
    return list;
  }

  private static String suggestion(String key) {
    String likely = key.replaceFirst("^--", "").replace('_', '-');
    return Flag.ofKey(likely).isPresent() && !likely.equals(key)
        ? "; did you mean \"" + likely + "\"?"
        : "";
  }

  private static @Nullable Object parse(Path file, String namedBy) throws InvalidInput {
    if (file.toString().isEmpty()) {
      throw new InvalidInput(List.of(namedBy + ": is empty; give the path of a YAML file"));
    }
    String text;
    try {
      text = TextFile.read(file);
    } catch (IOException e) {
      throw new InvalidInput(
          List.of("%s: cannot read %s: %s".formatted(namedBy, file, TextFile.reason(e))));
    }
    try {
      return new Load(LoadSettings.builder().setLabel(file.toString()).build())
          .loadFromString(text);
    } catch (MarkedYamlEngineException e) {
      String place =
          e.getProblemMark()
              .map(m -> "line " + (m.getLine() + 1) + ", column " + (m.getColumn() + 1) + ": ")
              .orElse("");
      throw new InvalidInput(List.of(file + ": " + place + firstLine(e.getProblem())));
    } catch (YamlEngineException e) {
      throw new InvalidInput(List.of(file + ": " + firstLine(String.valueOf(e.getMessage()))));
    } catch (StackOverflowError e) { // the library descends by recursion
      throw new InvalidInput(List.of(file + ": is nested too deeply; write a map of flag names"));
    }
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("is not YAML");
  }
}
