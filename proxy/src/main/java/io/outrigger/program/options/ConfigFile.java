package io.outrigger.program.options;

import io.outrigger.base.DidYouMean;
import io.outrigger.program.options.GivenFlags.Given;
import io.outrigger.xds.local.YamlReader;
import io.outrigger.xds.overlay.Located;
import io.outrigger.xds.overlay.Located.Entry;
import io.outrigger.xds.overlay.Located.Fields;
import io.outrigger.xds.overlay.Located.Items;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the file of {@code --config}: a YAML map from flag names to values. Repeatable flags have
 * lists.
 */
final class ConfigFile {
  private static final int MAX_SIZE = 1 << 20;

  /** A key that may be shown. Other text may be from a file with secrets, given by mistake. */
  private static final Pattern FORM = Pattern.compile("[A-Za-z_-]{1,40}");

  private static final List<String> KEYS =
      EnumSet.complementOf(EnumSet.of(Flag.CONFIG)).stream().map(Flag::key).toList();

  private ConfigFile() {}

  /**
   * Reads {@code file}.
   *
   * @param namedBy the flag or variable that names the file
   */
  static Map<Flag, Given> read(Path file, String namedBy) throws InvalidInput {
    Problems problems = new Problems();
    Map<Flag, Given> settings = new EnumMap<>(Flag.class);
    Optional<Located> document = parse(file, namedBy);
    if (document.isPresent()) {
      if (document.get() instanceof Fields fields) {
        fields.entries().forEach((key, entry) -> entry(file, key, entry, settings, problems));
      } else {
        problems.add(file.toString(), "is no map; write lines such as \"admin: 127.0.0.1:9901\"");
      }
    }
    problems.throwIfAny();
    return settings;
  }

  private static void entry(
      Path file, String key, Entry entry, Map<Flag, Given> settings, Problems problems) {
    String origin = file + ":" + entry.place().line() + ": " + key;
    Optional<Flag> flag = Flag.ofKey(key).filter(f -> f != Flag.CONFIG);
    if (flag.isEmpty() && !FORM.matcher(key).matches()) {
      problems.add(
          file + ":" + entry.place().line(), "has no key; write lines such as \"threads: 2\"");
      return;
    }
    if (flag.isEmpty()) {
      problems.add(origin, "is not known" + suggestion(key) + "; the keys are the flags of run");
      return;
    }
    List<String> values = new ArrayList<>();
    for (Located element :
        entry.value() instanceof Items list ? list.items() : List.of(entry.value())) {
      if (!element.json().isJsonPrimitive()) {
        problems.add(origin, "has no plain value; write it as \"" + key + ": value\"");
        return;
      }
      values.add(element.json().getAsString());
    }
    if (values.isEmpty() || (values.size() > 1 && flag.get().arity() != Flag.Arity.MANY)) {
      problems.add(origin, values.isEmpty() ? "is an empty list" : "takes one value, not a list");
      return;
    }
    settings.put(flag.get(), new Given(origin, values));
  }

  private static String suggestion(String key) {
    return DidYouMean.nearest(key, KEYS)
        .map(likely -> "; did you mean \"" + likely + "\"?")
        .orElse("");
  }

  private static Optional<Located> parse(Path file, String namedBy) throws InvalidInput {
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
      return YamlReader.read(text, MAX_SIZE);
    } catch (YamlReader.Unreadable e) {
      throw new InvalidInput(
          List.of(
              "%s:%d:%d: %s"
                  .formatted(file, e.place().line(), e.place().column(), e.getMessage())));
    }
  }
}
