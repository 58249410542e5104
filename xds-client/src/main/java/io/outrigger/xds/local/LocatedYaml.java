package io.outrigger.xds.local;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.overlay.Located;
import io.outrigger.xds.overlay.Located.Place;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
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
 * YAML, or JSON, as a tree that knows where its parts stand. What aliases stand for is written out;
 * depth and size are limited, so that a small file cannot fill the memory.
 */
@AnyThread
final class LocatedYaml {
  private static final int MAX_PARTS = 1_000_000;

  private final LoadSettings settings;
  private int parts;

  /** The text is not one YAML document, or is past a limit. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Place place;

    Unreadable(Place place, String message) {
      super(message);
      this.place = place;
    }

    Place place() {
      return place;
    }
  }

  private LocatedYaml(LoadSettings settings) {
    this.settings = settings;
  }

  /**
   * Reads one document.
   *
   * @param maxLength of the text, in characters
   * @return empty when there is nothing but space and comments
   */
  static Optional<Located> read(String text, int maxLength) throws Unreadable {
    var settings =
        LoadSettings.builder().setSchema(new CoreSchema()).setCodePointLimit(maxLength).build();
    return new LocatedYaml(settings).compose(text);
  }

  private Optional<Located> compose(String text) throws Unreadable {
    Optional<Node> root;
    try {
      YamlJson.checkDepth(settings, text); // composing recurses
      root = new Compose(settings).composeString(text);
    } catch (YamlJson.Unreadable e) {
      throw new Unreadable(new Place(1, 1), String.valueOf(e.getMessage()));
    } catch (MarkedYamlEngineException e) {
      String context = e.getContext() == null ? "" : e.getContext() + " ";
      throw new Unreadable(place(e.getProblemMark()), "not YAML: " + context + e.getProblem());
    } catch (YamlEngineException e) {
      String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new Unreadable(new Place(1, 1), "not YAML: " + first);
    }
    return root.isEmpty() ? Optional.empty() : Optional.of(located(root.get(), 0));
  }

  private Located located(Node node, int depth) throws Unreadable {
    Place place = place(node.getStartMark());
    if (depth > YamlJson.MAX_DEPTH || ++parts > MAX_PARTS) {
      throw new Unreadable(place, "too deep or too large with its aliases written out");
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
    return new Located.Scalar(place, scalar((ScalarNode) node));
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

  private static JsonElement scalar(ScalarNode node) {
    String text = node.getValue();
    Tag tag = node.getTag();
    if (tag.equals(Tag.NULL)) {
      return JsonNull.INSTANCE;
    }
    if (tag.equals(Tag.BOOL)) {
      return new JsonPrimitive(text.toLowerCase(Locale.ROOT).equals("true"));
    }
    if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
      return number(text);
    }
    return new JsonPrimitive(text);
  }

  private static JsonPrimitive number(String text) {
    try {
      return text.startsWith("0x") || text.startsWith("0o")
          ? new JsonPrimitive(Long.parseLong(text.substring(2), text.charAt(1) == 'x' ? 16 : 8))
          : new JsonPrimitive(new BigDecimal(text));
    } catch (NumberFormatException infinite) { // or of more digits than any field has
      return new JsonPrimitive(text);
    }
  }

  private static Place place(Optional<Mark> mark) {
    return mark.map(at -> new Place(at.getLine() + 1, at.getColumn() + 1)).orElse(new Place(1, 1));
  }
}
