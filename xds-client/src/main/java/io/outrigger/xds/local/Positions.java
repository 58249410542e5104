package io.outrigger.xds.local;

import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.decode.FieldError;
import io.outrigger.xds.local.Located.Position;
import io.outrigger.xds.status.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lines and columns of the parts of one document. The document is parsed as a tree only
 * when a position is needed, that is, for the first problem.
 */
@AnyThread
final class Positions {
  private static final Located EMPTY =
      new Located(new JsonObject(), new Position(1, 1), new IdentityHashMap<>());

  private final Path path;
  private final String text;
  private final int maxSize;
  private volatile @Nullable Located tree;

  Positions(Path path, String text, int maxSize) {
    this.path = path;
    this.text = text;
    this.maxSize = maxSize;
  }

  static Positions of(Path path) {
    try {
      return new Positions(path, Files.readString(path), ResourceFiles.MAX_SIZE);
    } catch (IOException e) {
      return new Positions(path, "", ResourceFiles.MAX_SIZE);
    }
  }

  Located tree() throws YamlReader.Unreadable {
    Located known = tree;
    if (known == null) {
      // JSON, unlike YAML, may be indented with tabs. No string in JSON contains a raw tab.
      String yaml = WatchedFile.isYaml(path) ? text : text.replace('\t', ' ');
      known = YamlReader.read(yaml, maxSize).orElse(EMPTY);
      tree = known;
    }
    return known;
  }

  FileProblem problem(YamlReader.Unreadable e) {
    return new FileProblem(
        path, e.position().line(), e.position().column(), String.valueOf(e.getMessage()));
  }

  /**
   * @param steps the path to the resource that contains the field
   * @param subject the resource, such as {@code cluster "pay"}; empty if the error names the
   *     resource
   */
  FileProblem problem(List<String> steps, String subject, FieldError error) {
    List<String> all = new ArrayList<>(steps);
    all.addAll(error.steps());
    String message = subject.isEmpty() ? error.toString() : subject + ": " + error;
    return position(all)
        .map(at -> new FileProblem(path, at.line(), at.column(), message))
        .orElse(new FileProblem(path, message));
  }

  private Optional<Position> position(List<String> steps) {
    try {
      return steps.isEmpty() ? Optional.empty() : Optional.of(tree().positionOf(steps));
    } catch (YamlReader.Unreadable e) {
      return Optional.empty(); // JSON that YAML cannot read, such as a very large document
    }
  }
}
