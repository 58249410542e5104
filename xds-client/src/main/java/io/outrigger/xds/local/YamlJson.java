package io.outrigger.xds.local;

import com.google.gson.stream.JsonWriter;
import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * YAML text to JSON text: the same tree (CONTRACT section 4). Aliases are written out where they
 * stand; depth and total size are limited, so that a small file cannot fill the memory.
 */
@AnyThread
final class YamlJson {
  static final int MAX_DEPTH = 200;
  private static final int MAX_ALIASES = 1000;

  private final int maxLength;

  /**
   * @param maxLength of the YAML text and of the JSON text, in characters
   */
  YamlJson(int maxLength) {
    this.maxLength = maxLength;
  }

  /** The text is not one YAML document, or is past a limit; the message says where and why. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;

    Unreadable(String message) {
      super(message);
    }
  }

  /**
   * Converts one document.
   *
   * @throws Unreadable when that cannot be done
   */
  String toJson(String yaml) throws Unreadable {
    var settings =
        LoadSettings.builder()
            .setSchema(new CoreSchema())
            .setAllowDuplicateKeys(false)
            .setMaxAliasesForCollections(MAX_ALIASES)
            .setCodePointLimit(maxLength)
            .build();
    Object tree;
    try {
      checkDepth(settings, yaml);
      tree = new Load(settings).loadFromString(yaml);
    } catch (MarkedYamlEngineException e) {
      String context = e.getContext() == null ? "" : e.getContext() + " ";
      throw new Unreadable("not YAML: " + context + e.getProblem() + place(e));
    } catch (YamlEngineException e) {
      throw new Unreadable("not YAML: " + firstLine(e));
    }
    var text = new StringWriter();
    var writer = new JsonWriter(text);
    try {
      write(tree, writer, text, 0);
    } catch (IOException e) {
      throw new AssertionError("a string buffer does no I/O", e);
    }
    return text.toString();
  }

  /** Loading recurses; text may be deeper than the stack. */
  static void checkDepth(LoadSettings settings, String yaml) throws Unreadable {
    int depth = 0;
    for (Event event : new Parse(settings).parseString(yaml)) {
      if (event instanceof CollectionStartEvent && ++depth > MAX_DEPTH) {
        throw tooDeep();
      } else if (event instanceof CollectionEndEvent) {
        depth--;
      }
    }
  }

  private static Unreadable tooDeep() {
    return new Unreadable("nested deeper than " + MAX_DEPTH + " levels");
  }

  private void write(Object value, JsonWriter out, StringWriter text, int depth)
      throws IOException, Unreadable {
    if (depth > MAX_DEPTH) {
      throw tooDeep(); // an alias within itself
    }
    if (text.getBuffer().length() > maxLength) {
      throw new Unreadable("longer than " + maxLength + " characters with its aliases written out");
    }
    if (value instanceof Map<?, ?> map) {
      out.beginObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.name(String.valueOf(entry.getKey()));
        write(entry.getValue(), out, text, depth + 1);
      }
      out.endObject();
    } else if (value instanceof List<?> list) {
      out.beginArray();
      for (Object element : list) {
        write(element, out, text, depth + 1);
      }
      out.endArray();
    } else if (value instanceof Boolean flag) {
      out.value(flag);
    } else if (value instanceof Double number && (number.isNaN() || number.isInfinite())) {
      out.value(number.toString()); // as proto3 JSON spells them
    } else if (value instanceof Number number) {
      out.value(number);
    } else if (value == null) {
      out.nullValue();
    } else {
      out.value(value.toString());
    }
  }

  private static String place(MarkedYamlEngineException e) {
    return e.getProblemMark()
        .map(mark -> ", line " + (mark.getLine() + 1) + " column " + (mark.getColumn() + 1))
        .orElse("");
  }

  private static String firstLine(YamlEngineException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}
