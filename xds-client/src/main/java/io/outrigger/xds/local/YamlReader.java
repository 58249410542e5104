package io.outrigger.xds.local;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.local.Located.Position;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Reads YAML or JSON as a tree with positions. Each alias is replaced by a copy of its content.
 * Depth and size are limited, so that a small file cannot exhaust the memory.
 *
 * <p>Numbers keep their characters, because {@code 1.10} and {@code 1.1} differ in a string field.
 * An unquoted number or boolean in a form that JSON lacks, such as {@code 0x10} or {@code True}, is
 * an error, because the reader does not know whether it is the text of a string field.
 */
@AnyThread
public final class YamlReader {
  private static final int MAX_DEPTH = 200;
  private static final int MAX_ALIASES = 1000;
  private static final int MAX_REPEATED = 100_000; // parts copied for aliases, about 10 MB
  private static final Pattern JSON_NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

  private final LoadSettings settings;
  private final IdentityHashMap<JsonElement, Map<String, Position>> positions =
      new IdentityHashMap<>();
  private int parts;
  private int maxParts;

  public static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Position position;

    Unreadable(Position position, String message) {
      super(message);
      this.position = position;
    }

    public Position position() {
      return position;
    }
  }

  private YamlReader(LoadSettings settings) {
    this.settings = settings;
  }

  /**
   * @param maxLength the maximum length of the text in characters
   * @return the tree; empty when the text contains only whitespace and comments
   */
  public static Optional<Located> read(String text, int maxLength) throws Unreadable {
    var settings =
        LoadSettings.builder()
            .setSchema(new CoreSchema())
            .setMaxAliasesForCollections(MAX_ALIASES)
            .setCodePointLimit(maxLength)
            .build();
    return new YamlReader(settings).compose(text);
  }

  private Optional<Located> compose(String text) throws Unreadable {
    Optional<Node> root;
    try {
      checkDepth(text);
      root = new Compose(settings).composeString(text);
    } catch (MarkedYamlEngineException e) {
      String context = e.getContext() == null ? "" : e.getContext() + " ";
      throw new Unreadable(position(e.getProblemMark()), "not YAML: " + context + e.getProblem());
    } catch (YamlEngineException e) {
      String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new Unreadable(new Position(1, 1), "not YAML: " + first);
    }
    if (root.isEmpty()) {
      return Optional.empty();
    }
    Position start = position(root.get().getStartMark());
    return Optional.of(new Located(json(root.get(), 0), start, positions));
  }

  /** Checks the depth before composing, because composing a deep text overflows the stack. */
  private void checkDepth(String text) throws Unreadable {
    int depth = 0;
    int events = 0;
    for (Event event : new Parse(settings).parseString(text)) {
      events++;
      if (event instanceof CollectionStartEvent && ++depth > MAX_DEPTH) {
        throw tooDeep(position(event.getStartMark()));
      } else if (event instanceof CollectionEndEvent) {
        depth--;
      }
    }
    maxParts = events + MAX_REPEATED;
  }

  private static Unreadable tooDeep(Position position) {
    return new Unreadable(position, "nested deeper than " + MAX_DEPTH + " levels");
  }

  private JsonElement json(Node node, int depth) throws Unreadable {
    Position position = position(node.getStartMark());
    if (depth > MAX_DEPTH) {
      throw tooDeep(position); // an alias that contains itself
    }
    if (++parts > maxParts) {
      throw new Unreadable(position, "its aliases repeat more than " + MAX_REPEATED + " parts");
    }
    if (node instanceof MappingNode mapping) {
      return fields(mapping, depth);
    }
    if (node instanceof SequenceNode sequence) {
      var items = new JsonArray();
      Map<String, Position> indexes = new HashMap<>();
      for (Node item : sequence.getValue()) {
        indexes.put(Integer.toString(items.size()), position(item.getStartMark()));
        items.add(json(item, depth + 1));
      }
      positions.put(items, indexes);
      return items;
    }
    return scalar((ScalarNode) node, position);
  }

  private JsonObject fields(MappingNode mapping, int depth) throws Unreadable {
    var fields = new JsonObject();
    Map<String, Position> names = new HashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      Position at = position(tuple.getKeyNode().getStartMark());
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new Unreadable(at, "a name must be a text");
      }
      if (names.putIfAbsent(key.getValue(), at) != null) {
        throw new Unreadable(at, "\"" + key.getValue() + "\" stands here twice");
      }
      fields.add(key.getValue(), json(tuple.getValueNode(), depth + 1));
    }
    positions.put(fields, names);
    return fields;
  }

  private static JsonElement scalar(ScalarNode node, Position position) throws Unreadable {
    String text = node.getValue();
    Tag tag = node.getTag();
    if (tag.equals(Tag.NULL)) {
      return JsonNull.INSTANCE;
    }
    boolean isNumber = tag.equals(Tag.INT) || tag.equals(Tag.FLOAT);
    if (isNumber && JSON_NUMBER.matcher(text).matches()) {
      return JsonParser.parseString(text); // keeps all digits as written
    }
    boolean isTruth = tag.equals(Tag.BOOL);
    if (isTruth && (text.equals("true") || text.equals("false"))) {
      return new JsonPrimitive(text.equals("true"));
    }
    if (isNumber || isTruth) {
      throw new Unreadable(
          position,
          "%s is a %s that JSON writes differently; put it in quotes if it is a text, or write it"
                  .formatted(text, isNumber ? "number" : "truth value")
              + (isNumber ? " with decimal digits" : " in small letters"));
    }
    return new JsonPrimitive(text);
  }

  private static Position position(Optional<Mark> mark) {
    return mark.map(at -> new Position(at.getLine() + 1, at.getColumn() + 1))
        .orElse(new Position(1, 1));
  }
}
