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
 * The places of one document's parts. The tree is read when it is needed for the first time: most
 * documents have nothing wrong. Two threads that need it at once both read it, with the same
 * result.
 */
@AnyThread
final class Places {
  private static final Place START = new Place(1, 1);
  private static final Located EMPTY = new Located.Fields(START, Map.of());

  private final Path path;
  private final String text;
  private volatile @Nullable Located tree;

  /**
   * @param text of the file {@code path}
   */
  Places(Path path, String text) {
    this.path = path;
    this.text = text;
  }

  /** The places of a file, without any where it cannot be read. Blocks for the disk. */
  static Places of(Path path) {
    try {
      return new Places(path, Files.readString(path));
    } catch (IOException e) {
      return new Places(path, "");
    }
  }

  /** The document; an empty one where there is nothing but space and comments. */
  Located tree() throws YamlReader.Unreadable {
    Located known = tree;
    if (known == null) {
      // JSON may be indented by tabs, which YAML refuses; in its strings there are none.
      String yaml = FileListing.isYaml(path) ? text : text.replace('\t', ' ');
      known = YamlReader.read(yaml, ResourceFormat.MAX_SIZE).orElse(EMPTY);
      tree = known;
    }
    return known;
  }

  /** The problem of a document that cannot be read. */
  FileProblem problem(YamlReader.Unreadable e) {
    return new FileProblem(
        path, e.place().line(), e.place().column(), String.valueOf(e.getMessage()));
  }

  /**
   * The problem of one field.
   *
   * @param steps the way to the resource that the field is in
   * @param subject the resource, such as {@code cluster "pay"}; empty when the error names it
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
      return Optional.empty(); // JSON that YAML does not read, such as a very large one
    }
  }
}
