package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.status.FileProblem;
import io.outrigger.xds.status.OverlayStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks resource files as the running program would, without running it. */
@AnyThread
public final class ResourceValidator {
  private ResourceValidator() {}

  /**
   * What was found.
   *
   * @param problems by file; none when nothing would be refused
   * @param rules what each rule of the overlay comes to
   */
  public record Result(List<FileProblem> problems, List<OverlayStatus.Rule> rules) {
    public Result {
      problems = List.copyOf(problems);
      rules = List.copyOf(rules);
    }
  }

  /** Reads and decodes everything in files and folders. Blocks for the disk. */
  public static List<FileProblem> validate(List<Path> paths, DecodeContext context) {
    return validate(ResourceFiles.read(paths), context).problems();
  }

  /**
   * Decodes everything in files that were read.
   *
   * @param context as of the server whose place the files take; its overlay is tried for a target
   *     of each listener's name
   */
  public static Result validate(ResourceFiles read, DecodeContext context) {
    DecodeContext all = context.under(context.overlay().forTargets(targets(read)));
    List<FileProblem> findings = new ArrayList<>(read.problems());
    List<Overlaid> overlaid = new ArrayList<>();
    for (WatchedFile<List<NamedResource>> file : read.files().values()) {
      for (ResourceType<?> type : ResourceType.ALL) {
        findings.addAll(refusals(file, type, all, overlaid));
      }
    }
    return new Result(findings, OverlayStatus.rules(all.overlay(), overlaid.stream()));
  }

  private static Set<String> targets(ResourceFiles read) {
    return read.files().values().stream()
        .flatMap(file -> file.content().stream())
        .filter(resource -> resource.type().equals(ResourceType.LISTENER))
        .map(listener -> "xds:///" + listener.name())
        .collect(Collectors.toSet());
  }

  private static <T> List<FileProblem> refusals(
      WatchedFile<List<NamedResource>> file,
      ResourceType<T> type,
      DecodeContext context,
      List<Overlaid> overlaid) {
    List<Any> resources =
        file.content().stream()
            .filter(resource -> resource.type().equals(type))
            .map(NamedResource::resource)
            .toList();
    Decoded<T> decoded = ResourceDecoder.decode(type, resources, context);
    decoded
        .valid()
        .values()
        .forEach(
            valid -> {
              if (valid.value() instanceof Overlaid value) {
                overlaid.add(value);
              }
            });
    List<FileProblem> refusals = new ArrayList<>();
    decoded
        .invalid()
        .forEach(
            (name, invalid) ->
                invalid
                    .texts()
                    .forEach(
                        error ->
                            refusals.add(
                                new FileProblem(
                                    file.path(), type.noun() + " \"" + name + "\": " + error))));
    decoded.unnamed().forEach(error -> refusals.add(new FileProblem(file.path(), error)));
    return refusals;
  }
}
