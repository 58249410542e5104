package io.outrigger.xds.local;

import io.outrigger.base.AnyThread;
import io.outrigger.xds.decode.FieldError;
import io.outrigger.xds.overlay.Located;
import io.outrigger.xds.overlay.Located.Place;
import io.outrigger.xds.status.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lines and columns of the parts of one document. The document is parsed as a tree only
 * when a place is first needed, because most documents have no problems. If two threads need the
 * tree at the same time, each thread parses the document, with the same result.
 */
@AnyThread
final class Places {
  private static final Place START = new Place(1, 1);
  private static final Located EMPTY = new Located.Fields(START, Map.of());

  private final Path path;
  private final String text;
  private final int maxSize;
  private volatile @Nullable Located tree;

  Places(Path path, String text, int maxSize) {
    this.path = path;
    this.text = text;
    this.maxSize = maxSize;
  }

  static Places of(Path path) {
    try {
      return new Places(path, Files.readString(path), ResourceFiles.MAX_SIZE);
    } catch (IOException e) {
      return new Places(path, "", ResourceFiles.MAX_SIZE);
    }
  }

  Located tree() throws YamlReader.Unreadable {
    Located known = tree;
    if (known == null) {
      // JSON may be indented with tabs, which YAML rejects. Strings in JSON contain no raw tabs.
      String yaml = WatchedFile.isYaml(path) ? text : text.replace('\t', ' ');
      known = YamlReader.read(yaml, maxSize).orElse(EMPTY);
      tree = known;
    }
    return known;
  }

  FileProblem problem(YamlReader.Unreadable e) {
    return new FileProblem(
        path, e.place().line(), e.place().column(), String.valueOf(e.getMessage()));
  }

  /**
   * Returns the problem of one field.
   *
   * @param steps the path to the resource that contains the field
   * @param subject the resource, such as {@code cluster "pay"}; empty when the error contains the
   *     name of the resource
   */
  FileProblem problem(List<String> steps, String subject, FieldError error) {
    List<String> way = new ArrayList<>(steps);
    way.addAll(error.steps());
    String where = subject.isEmpty() ? error.toString() : subject + ": " + error;
    return place(way)
        .map(at -> new FileProblem(path, at.line(), at.column(), where))
        .orElse(new FileProblem(path, where));
  }

  private Optional<Place> place(List<String> steps) {
    try {
      return steps.isEmpty() ? Optional.empty() : Optional.of(tree().placeOf(steps));
    } catch (YamlReader.Unreadable e) {
      return Optional.empty(); // JSON that YAML cannot read, such as a very large document
    }
  }
}
