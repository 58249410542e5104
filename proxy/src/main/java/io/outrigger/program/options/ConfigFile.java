package io.outrigger.program.options;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.base.DidYouMean;
import io.outrigger.base.RegularFile;
import io.outrigger.program.options.GivenFlags.Given;
import io.outrigger.xds.local.Located;
import io.outrigger.xds.local.YamlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the file of {@code --config}: a YAML map from flag names to values. The value of a
 * repeatable flag may be a list.
 */
final class ConfigFile {
  private static final int MAX_SIZE = 1 << 20;

  /** Only keys of this pattern appear in error messages: a wrong file may contain secrets. */
  private static final Pattern FORM = Pattern.compile("[A-Za-z_-]{1,40}");

  private static final int SHOWN_WITHOUT_KEY = 3;

  private static final List<String> KEYS =
      EnumSet.complementOf(EnumSet.of(Flag.CONFIG)).stream().map(Flag::key).toList();

  private final Path file;
  private final Problems problems = new Problems();
  private final Map<Flag, Given> settings = new EnumMap<>(Flag.class);

  /** The positions of YAML entries whose keys do not match {@link #FORM}. */
  private final List<String> withoutKey = new ArrayList<>();

  private ConfigFile(Path file) {
    this.file = file;
  }

  /**
   * @param namedBy the flag or variable that names the file
   */
  static Map<Flag, Given> read(Path file, String namedBy) throws InvalidInput {
    var config = new ConfigFile(file);
    config.addAll(parse(file, namedBy));
    config.problems.throwIfAny();
    return config.settings;
  }

  private void addAll(Optional<Located> document) {
    if (document.isPresent() && document.get().json() instanceof JsonObject fields) {
      fields
          .asMap()
          .forEach((key, value) -> add(key, value, document.get().position(fields, key).line()));
    } else if (document.isPresent()) {
      problems.add(file.toString(), "is no map; write lines such as \"admin: 127.0.0.1:9901\"");
    }
    int more = withoutKey.size() - SHOWN_WITHOUT_KEY;
    if (more > 0) {
      problems.add(file.toString(), more + " more lines have no key either");
    }
  }

  private void add(String key, JsonElement value, int inLine) {
    String line = file + ":" + inLine;
    String origin = line + ": " + key;
    Optional<Flag> flag = Flag.ofKey(key).filter(f -> f != Flag.CONFIG);
    if (flag.isEmpty()) {
      if (FORM.matcher(key).matches()) {
        problems.add(
            origin,
            "is not known" + DidYouMean.question(key, KEYS) + "; the keys are the flags of run");
      } else {
        withoutKey.add(line);
        if (withoutKey.size() <= SHOWN_WITHOUT_KEY) {
          problems.add(line, "has no key; write lines such as \"threads: 2\"");
        }
      }
      return;
    }
    List<String> values = new ArrayList<>();
    for (JsonElement element : value instanceof JsonArray list ? list : List.of(value)) {
      if (!element.isJsonPrimitive()) {
        problems.add(origin, "has no plain value; write it as \"" + key + ": value\"");
        return;
      }
      String text = element.getAsString();
      if (text.codePoints().anyMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE)) {
        problems.add(origin, "has a NUL or half a surrogate pair; remove this character");
        return;
      }
      values.add(text);
    }
    if (values.isEmpty() || (values.size() > 1 && flag.get().arity() != Flag.Arity.MANY)) {
      problems.add(origin, values.isEmpty() ? "is an empty list" : "takes one value, not a list");
      return;
    }
    settings.put(flag.get(), new Given(origin, values));
  }

  private static Optional<Located> parse(Path file, String namedBy) throws InvalidInput {
    if (file.toString().isEmpty()) {
      throw new InvalidInput(namedBy + ": is empty; give the path of a YAML file");
    }
    try {
      return YamlReader.read(RegularFile.readText(file.toString(), MAX_SIZE), MAX_SIZE);
    } catch (RegularFile.Unreadable e) {
      throw new InvalidInput(namedBy + ": " + file + " " + e.reason() + "; give a YAML file");
    } catch (YamlReader.Unreadable e) {
      throw new InvalidInput(
          "%s:%d:%d: %s"
              .formatted(file, e.position().line(), e.position().column(), e.getMessage()));
    }
  }
}
