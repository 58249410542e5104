package io.outrigger.xds.local;

import static java.util.Objects.requireNonNull;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.decode.FieldError;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.status.FileProblem;
import io.outrigger.xds.status.OverlayStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks resource files as the running program would, without starting the program. */
@AnyThread
public final class ResourceValidator {
  private final DecodeContext context;
  private final List<FileProblem> refused = new ArrayList<>();
  private final List<FileProblem> broken = new ArrayList<>();
  private final List<FileProblem> warnings = new ArrayList<>();
  private final List<Overlaid> overlaid = new ArrayList<>();

  /** The first valid resource of each type and name, for the findings of {@link #references}. */
  private final Map<String, NamedResource> first = new HashMap<>();

  private final Map<Path, Positions> positions = new HashMap<>();
  private final References references = new References(Optional.empty());

  private ResourceValidator(DecodeContext context) {
    this.context = context;
  }

  /**
   * @param problems the errors that make a file invalid; empty if all files are accepted
   * @param broken the errors that make calls fail, although the resources are accepted
   * @param warnings the fields that have no effect, and problems that do not make calls fail
   */
  public record Result(
      List<FileProblem> problems,
      List<FileProblem> broken,
      List<FileProblem> warnings,
      List<OverlayStatus.Rule> rules) {
    public Result {
      problems = List.copyOf(problems);
      broken = List.copyOf(broken);
      warnings = List.copyOf(warnings);
      rules = List.copyOf(rules);
    }
  }

  /**
   * @param context the context in which the running program would decode these resources from a
   *     control plane; for its overlay rules, each listener in the files counts as a target
   */
  public static Result validate(ResourceFiles read, DecodeContext context) {
    DecodeContext all = context.under(context.overlay().forTargets(targets(read)));
    var validator = new ResourceValidator(all);
    validator.refused.addAll(read.problems());
    for (WatchedFile<List<NamedResource>> file : read.files().values()) {
      for (NamedResource resource : file.content()) {
        validator.references.define(resource.type(), resource.name());
      }
      ResourceType.ALL.forEach(type -> validator.decode(file.content(), type));
    }
    validator
        .references
        .check()
        .forEach(
            (subject, found) -> {
              NamedResource resource = requireNonNull(validator.first.get(subject));
              found.all().forEach(each -> validator.broken.add(validator.problem(resource, each)));
              found
                  .ignored()
                  .forEach(each -> validator.warnings.add(validator.problem(resource, each)));
            });
    return new Result(
        validator.refused,
        validator.broken,
        validator.warnings,
        OverlayStatus.rules(all.overlay(), validator.overlaid.stream()));
  }

  private static Set<String> targets(ResourceFiles read) {
    return read.files().values().stream()
        .flatMap(file -> file.content().stream())
        .filter(resource -> resource.type().equals(ResourceType.LISTENER))
        .map(listener -> "xds:///" + listener.name())
        .collect(Collectors.toSet());
  }

  private <T> void decode(List<NamedResource> ofFile, ResourceType<T> type) {
    Map<String, NamedResource> byName = new LinkedHashMap<>();
    for (NamedResource resource : ofFile) {
      if (resource.type().equals(type)) {
        byName.putIfAbsent(resource.name(), resource);
      }
    }
    List<Any> resources = byName.values().stream().map(NamedResource::resource).toList();
    Decoded<T> decoded = ResourceDecoder.decode(type, resources, context);
    decoded
        .valid()
        .forEach(
            (name, valid) -> {
              NamedResource resource = requireNonNull(byName.get(name));
              first.putIfAbsent(resource.subject(), resource);
              references.add(type, name, valid.value());
              valid.warnings().forEach(field -> warnings.add(problem(resource, field)));
              if (valid.value() instanceof Overlaid value) {
                overlaid.addAll(context.overlay().formsOf(value));
              }
            });
    decoded
        .invalid()
        .forEach(
            (name, invalid) ->
                invalid
                    .errors()
                    .forEach(
                        error -> refused.add(problem(requireNonNull(byName.get(name)), error))));
  }

  private FileProblem problem(NamedResource resource, FieldError finding) {
    return positions
        .computeIfAbsent(resource.file(), Positions::of)
        .problem(resource.steps(), resource.subject(), finding);
  }
}
