package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.decode.ResourceDecoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks resource files as the running program would, without running it. */
@AnyThread
public final class ResourceValidator {
  private ResourceValidator() {}

  /** Reads and decodes everything in files and folders. Blocks for the disk. */
  public static List<ResourceProblem> validate(List<Path> paths, DecodeContext context) {
    return validate(ResourceFiles.read(paths), context);
  }

  /**
   * Decodes everything in files that were read.
   *
   * @param context as of the server whose place the files take
   * @return every finding, by file; none when nothing would be refused
   */
  public static List<ResourceProblem> validate(ResourceFiles read, DecodeContext context) {
    List<ResourceProblem> findings = new ArrayList<>(read.problems());
    for (ResourceFile file : read.files().values()) {
      for (ResourceType<?> type : ResourceType.ALL) {
        findings.addAll(refusals(file, type, context));
      }
    }
    return List.copyOf(findings);
  }

  private static <T> List<ResourceProblem> refusals(
      ResourceFile file, ResourceType<T> type, DecodeContext context) {
    List<Any> resources =
        file.resources().stream()
            .filter(resource -> resource.type().equals(type))
            .map(NamedResource::resource)
            .toList();
    Decoded<T> decoded = ResourceDecoder.decode(type, resources, context);
    List<ResourceProblem> refusals = new ArrayList<>();
    decoded
        .invalid()
        .forEach(
            (name, invalid) ->
                invalid
                    .errors()
                    .forEach(
                        error ->
                            refusals.add(
                                new ResourceProblem(
                                    file.path(), type.noun() + " \"" + name + "\": " + error))));
    decoded.unnamed().forEach(error -> refusals.add(new ResourceProblem(file.path(), error)));
    return refusals;
  }
}
