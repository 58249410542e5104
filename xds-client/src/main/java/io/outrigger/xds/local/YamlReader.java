package io.outrigger.xds.local;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.overlay.Located;
import io.outrigger.xds.overlay.Located.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
 * Reads YAML or JSON as a tree that records the place of each part. Each alias is replaced by a
 * copy of its content. Depth and size are limited, so that a small file cannot exhaust the memory.
 *
 * <p>Numbers keep their characters, because the number may be the value of a text field, where
 * {@code 1.10} differs from {@code 1.1}. A number or boolean that JSON would write differently is
 * an error, because the reader cannot know whether the field is a text field.
 */
@AnyThread
public final class YamlReader {
  private static final int MAX_DEPTH = 200;
  private static final int MAX_ALIASES = 1000;
  private static final int MAX_REPEATED = 100_000; // parts repeated by aliases, about 10 MB
  private static final Pattern JSON_NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

  private final LoadSettings settings;
  private int parts;
  private int maxParts;

  public static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Place place;

    Unreadable(Place place, String message) {
      super(message);
      this.place = place;
    }

    public Place place() {
      return place;
    }
  }

  private YamlReader(LoadSettings settings) {
    this.settings = settings;
  }

  /**
   * Reads one document.
   *
   * @param maxLength the maximum length of the text in characters
   * @return the tree; empty when the text contains only space and comments
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
      throw new Unreadable(place(e.getProblemMark()), "not YAML: " + context + e.getProblem());
    } catch (YamlEngineException e) {
      String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new Unreadable(new Place(1, 1), "not YAML: " + first);
    }
    return root.isEmpty() ? Optional.empty() : Optional.of(located(root.get(), 0));
  }

  /**
   * Checks the depth of the text before the tree is composed. Composing a text that is too deep
   * would overflow the stack.
   */
  private void checkDepth(String text) throws Unreadable {
    int depth = 0;
    int events = 0;
    for (Event event : new Parse(settings).parseString(text)) {
      events++;
      if (event instanceof CollectionStartEvent && ++depth > MAX_DEPTH) {
        throw tooDeep(place(event.getStartMark()));
      } else if (event instanceof CollectionEndEvent) {
        depth--;
      }
    }
    maxParts = events + MAX_REPEATED;
  }

  private static Unreadable tooDeep(Place place) {
    return new Unreadable(place, "nested deeper than " + MAX_DEPTH + " levels");
  }

  private Located located(Node node, int depth) throws Unreadable {
    Place place = place(node.getStartMark());
    if (depth > MAX_DEPTH) {
      throw tooDeep(place); // an alias that contains itself
    }
    if (++parts > maxParts) {
      throw new Unreadable(place, "its aliases repeat more than " + MAX_REPEATED + " parts");
    }
    if (node instanceof MappingNode mapping) {
      return fields(mapping, place, depth);
    }
    if (node instanceof SequenceNode sequence) {
      List<Located> items = new ArrayList<>();
      for (Node item : sequence.getValue()) {
        items.add(located(item, depth + 1));
      }
      return new Located.Items(place, items);
    }
    return new Located.Scalar(place, scalar((ScalarNode) node, place));
  }

  private Located fields(MappingNode mapping, Place place, int depth) throws Unreadable {
    Map<String, Located.Entry> entries = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      Place at = place(tuple.getKeyNode().getStartMark());
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new Unreadable(at, "a name must be a text");
      }
      var entry = new Located.Entry(at, located(tuple.getValueNode(), depth + 1));
      if (entries.putIfAbsent(key.getValue(), entry) != null) {
        throw new Unreadable(at, "\"" + key.getValue() + "\" stands here twice");
      }
    }
    return new Located.Fields(place, entries);
  }

  private static JsonElement scalar(ScalarNode node, Place place) throws Unreadable {
    String text = node.getValue();
    Tag tag = node.getTag();
    if (tag.equals(Tag.NULL)) {
      return JsonNull.INSTANCE;
    }
    boolean isNumber = tag.equals(Tag.INT) || tag.equals(Tag.FLOAT);
    if (isNumber && JSON_NUMBER.matcher(text).matches()) {
      return JsonParser.parseString(text); // keeps the characters
    }
    boolean isTruth = tag.equals(Tag.BOOL);
    if (isTruth && (text.equals("true") || text.equals("false"))) {
      return new JsonPrimitive(text.equals("true"));
    }
    if (isNumber || isTruth) {
      throw new Unreadable(
          place,
          "%s is a %s that JSON writes differently; put it in quotes if it is a text, or write it"
                  .formatted(text, isNumber ? "number" : "truth value")
              + (isNumber ? " with decimal digits" : " in small letters"));
    }
    return new JsonPrimitive(text);
  }

  private static Place place(Optional<Mark> mark) {
    return mark.map(at -> new Place(at.getLine() + 1, at.getColumn() + 1)).orElse(new Place(1, 1));
  }
}
