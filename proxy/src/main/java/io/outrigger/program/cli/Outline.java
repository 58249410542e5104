package io.outrigger.program.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.DurationText;
import io.outrigger.base.PlainText;
import io.outrigger.config.endpoint.Locality;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Renders a JSON object or list as an outline for people. A member without a value is left out. An
 * object whose members are all primitive takes one line. The members in {@link #SECONDS} are shown
 * as durations, or as {@code none} if they are null. Text from other processes is cleaned of
 * terminal control characters.
 */
final class Outline {
  private static final int MAX_ELEMENTS = 20;
  private static final MathContext DIGITS = new MathContext(4);

  /** The members of {@code /explain} that are durations in seconds; null means no limit. */
  private static final Set<String> SECONDS = Set.of("route_limit", "asked", "effective");

  private final List<String> lines = new ArrayList<>();

  private Outline() {}

  /**
   * Renders an object or list as lines; returns no lines for an empty object or list.
   *
   * @throws JsonParseException when the value is neither an object nor a list
   */
  static List<String> of(JsonElement value) {
    var outline = new Outline();
    outline.addInside(value, "");
    return outline.lines;
  }

  private void addInside(JsonElement value, String indent) {
    if (value instanceof JsonObject object) {
      addMembers(object, indent);
    } else if (value instanceof JsonArray array) {
      addElements(array, indent);
    } else {
      throw new JsonParseException("neither an object nor a list");
    }
  }

  private void addMembers(JsonObject object, String indent) {
    object
        .asMap()
        .forEach(
            (name, value) -> {
              if (!isEmpty(value)) {
                add(indent, words(name) + ":", value);
              }
            });
  }

  private void addElements(JsonArray array, String indent) {
    array.asList().stream().limit(MAX_ELEMENTS).forEach(each -> add(indent, "-", each));
    if (array.size() > MAX_ELEMENTS) {
      lines.add(indent + "- and " + (array.size() - MAX_ELEMENTS) + " more; --json lists them");
    }
  }

  /** Adds a value after its label: on the same line, or on the following lines. */
  private void add(String indent, String label, JsonElement value) {
    Optional<String> line = inline(value);
    lines.add(PlainText.of(indent + label + line.map(text -> " " + text).orElse("")));
    if (line.isEmpty()) {
      addInside(value, indent + "  ");
    }
  }

  /** Returns a value as one line; empty when the value needs several lines. */
  private static Optional<String> inline(JsonElement value) {
    if (value instanceof JsonPrimitive plain) {
      return Optional.of(text(plain));
    }
    List<String> parts = new ArrayList<>();
    if (value instanceof JsonObject object) {
      for (String name : object.keySet()) {
        JsonElement member = withUnit(name, object.get(name));
        if (member instanceof JsonPrimitive plain && !isEmpty(plain)) {
          parts.add(words(name) + " " + text(plain));
        } else if (!isEmpty(member)) {
          return Optional.empty();
        }
      }
    } else {
      for (JsonElement element : (JsonArray) value) {
        if (!(element instanceof JsonPrimitive plain) || text(plain).indexOf(' ') >= 0) {
          return Optional.empty();
        }
        parts.add(text(plain));
      }
    }
    return Optional.of(String.join(", ", parts));
  }

  private static boolean isEmpty(JsonElement value) {
    return value.isJsonNull()
        || (value instanceof JsonArray array && array.isEmpty())
        || (value instanceof JsonObject object
            && object.asMap().values().stream().allMatch(Outline::isEmpty))
        || (value instanceof JsonPrimitive plain && Locality.shown(text(plain)).isEmpty());
  }

  private static String text(JsonPrimitive value) {
    if (!value.isNumber()) {
      return value.getAsString();
    }
    BigDecimal number = value.getAsBigDecimal().stripTrailingZeros();
    return (number.scale() > 0 ? number.round(DIGITS) : number).toPlainString();
  }

  /** Returns the value of a member; a number of seconds is formatted as a duration. */
  private static JsonElement withUnit(String name, JsonElement value) {
    if (SECONDS.contains(name) && value.isJsonNull()) {
      return new JsonPrimitive("none");
    }
    return SECONDS.contains(name) && value instanceof JsonPrimitive seconds && seconds.isNumber()
        ? new JsonPrimitive(
            DurationText.format(Duration.ofNanos(Math.round(seconds.getAsDouble() * 1e9))))
        : value;
  }

  private static String words(String name) {
    return name.replace('_', ' ');
  }
}
