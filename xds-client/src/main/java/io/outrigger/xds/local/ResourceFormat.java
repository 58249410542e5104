package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.decode.ResourceJson;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files of resources (CONTRACT section 4). */
@AnyThread
final class ResourceFormat implements WatchedFile.Format<List<NamedResource>> {
  /** Of a file, and of the JSON that a YAML file stands for. */
  static final int MAX_SIZE = 64 << 20;

  private static final YamlJson YAML = new YamlJson(MAX_SIZE);

  @Override
  public int maxSize() {
    return MAX_SIZE;
  }

  @Override
  public List<NamedResource> nothing() {
    return List.of();
  }

  @Override
  public List<NamedResource> parse(Path path, String text, List<FileProblem> problems) {
    List<NamedResource> resources = new ArrayList<>();
    try {
      String json = FileListing.isYaml(path) ? YAML.toJson(text) : text;
      ResourceJson.Document document = ResourceJson.parse(json);
      document.errors().forEach(error -> problems.add(new FileProblem(path, error)));
      for (Any any : document.resources()) {
        NamedResource.of(any)
            .ifPresentOrElse(
                resources::add, () -> problems.add(new FileProblem(path, nameless(any))));
      }
    } catch (YamlJson.Unreadable e) {
      problems.add(new FileProblem(path, String.valueOf(e.getMessage())));
    }
    return List.copyOf(resources);
  }

  private static String nameless(Any any) {
    return "a resource of type " + any.getTypeUrl() + " has no name";
  }
}
