package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.decode.FieldError;
import io.outrigger.xds.decode.ResourceJson;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Parses files of resources (CONTRACT section 4). */
@AnyThread
final class ResourceFormat implements WatchedFile.Format<List<NamedResource>> {
  static final int MAX_SIZE = 64 << 20;

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
    var places = new Places(path, text, MAX_SIZE);
    ResourceJson.Document document;
    try {
      document =
          FileListing.isYaml(path)
              ? ResourceJson.of(places.tree().json())
              : ResourceJson.parse(text);
    } catch (YamlReader.Unreadable e) {
      problems.add(places.problem(e));
      return List.of();
    }
    document.errors().forEach(error -> problems.add(places.problem(List.of(), "", error)));
    List<NamedResource> resources = new ArrayList<>();
    for (int i = 0; i < document.resources().size(); i++) {
      Any any = document.resources().get(i);
      List<String> steps = document.steps().get(i);
      NamedResource.of(any, steps)
          .ifPresentOrElse(
              resources::add,
              () -> problems.add(places.problem(steps, "", FieldError.of(nameless(any)))));
    }
    return List.copyOf(resources);
  }

  private static String nameless(Any any) {
    return "a resource of type " + any.getTypeUrl() + " has no name";
  }
}
