package io.outrigger.xds.local;

import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.config.overlay.OverlayRule.Mode;
import io.outrigger.xds.decode.FieldError;
import io.outrigger.xds.decode.PatchReader;
import io.outrigger.xds.overlay.Glob;
import io.outrigger.xds.overlay.Located;
import io.outrigger.xds.overlay.Located.Entry;
import io.outrigger.xds.overlay.Located.Fields;
import io.outrigger.xds.overlay.Located.Items;
import io.outrigger.xds.overlay.Located.Position;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.overlay.Overlay.ClusterRule;
import io.outrigger.xds.overlay.Overlay.RouteRule;
import io.outrigger.xds.overlay.Patch;
import io.outrigger.xds.status.FileProblem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Parses one overlay file (CONTRACT section 11); each parsed file has its own instance. */
@AnyThread
final class OverlayFormat {
  private static final int MAX_SIZE = 4 << 20;
  private static final int MAX_ALPN = 8;
  private static final int MAX_ALPN_BYTES = 255; // RFC 7301 section 3.1
  private static final String SHAPE =
      "must be a mapping with one list, as overlay: [{name: …, clusters: [\"*\"], patch: {…}}]";
  private static final Set<String> KEYS =
      Set.of("name", "clusters", "targets", "routes", "mode", "patch");
  private static final Set<String> CONDITIONS = Set.of("path", "path_prefix", "name");
  private static final String ALPN = "alpn";

  static final WatchedFile.Format<Rules> FORMAT =
      new WatchedFile.Format<>(MAX_SIZE, Rules.NONE, OverlayFormat::parse);

  /** The rules of a file in the order of the file, and the fields without effect. */
  record Rules(Overlay overlay, List<FileProblem> ignored) {
    static final Rules NONE = new Rules(Overlay.NONE, List.of());

    Rules {
      ignored = List.copyOf(ignored);
    }
  }

  private final List<ClusterRule> clusters = new ArrayList<>();
  private final List<RouteRule> routes = new ArrayList<>();
  private final List<FileProblem> ignored = new ArrayList<>();
  private final Path path;
  private final List<FileProblem> problems;
  private final Map<String, Position> names = new HashMap<>();
  private String subject = "";

  private OverlayFormat(Path path, List<FileProblem> problems) {
    this.path = path;
    this.problems = problems;
  }

  /** Parses the rules of a file; returns no rule if any part of the file is invalid. */
  static Rules parse(Path path, String text, List<FileProblem> problems) {
    var positions = new Positions(path, text, MAX_SIZE);
    try {
      var file = new OverlayFormat(path, problems);
      file.document(positions.tree());
      return problems.isEmpty()
          ? new Rules(new Overlay(file.clusters, file.routes), file.ignored)
          : Rules.NONE;
    } catch (YamlReader.Unreadable e) {
      problems.add(positions.problem(e));
      return Rules.NONE;
    }
  }

  private void add(Position position, String field, String reason) {
    problems.add(problem(position, field, reason));
  }

  private FileProblem problem(Position position, String field, String reason) {
    String where = subject.isEmpty() || field.isEmpty() ? subject + field : subject + " " + field;
    return new FileProblem(
        path, position.line(), position.column(), where.isEmpty() ? reason : where + ": " + reason);
  }

  private void document(Located tree) {
    if (!(tree instanceof Fields root)
        || !root.entries().containsKey("overlay")
        || !(root.entries().get("overlay").value() instanceof Items rules)) {
      add(tree.position(), "", SHAPE);
      return;
    }
    refuseUnknown(root, Set.of("overlay"), "");
    for (int i = 0; i < rules.items().size(); i++) {
      subject = "overlay[" + i + "]";
      if (rules.items().get(i) instanceof Fields rule) {
        rule(rule);
      } else {
        add(rules.items().get(i).position(), "", "must be a mapping");
      }
    }
  }

  private void rule(Fields rule) {
    String name = text(rule, "name").orElse("");
    if (name.isBlank()) {
      add(rule.position(), "name", "is missing");
    } else {
      subject = "rule " + name;
      Position other = names.putIfAbsent(name, rule.position());
      if (other != null) {
        String reason = "is already the name of the rule in line %d; give each rule its own";
        add(rule.position(), "name", reason.formatted(other.line()));
      }
    }
    refuseUnknown(rule, KEYS, "");
    var origin = new OverlayRule(name, path.toString(), rule.position().line(), mode(rule));
    boolean ofClusters = has(rule, "clusters");
    boolean ofRoutes = has(rule, "targets") || has(rule, "routes");
    if (ofClusters == ofRoutes) {
      add(
          rule.position(),
          "",
          ofClusters
              ? "has clusters beside targets or routes; it may be for one kind only"
              : "has neither clusters nor targets or routes; name those that it is for");
      return;
    }
    Optional<Fields> patch = patch(rule);
    if (patch.isEmpty()) {
      return;
    }
    if (ofClusters) {
      List<String> alpn = alpn(patch.get());
      Patch read = read(patch.get(), PatchReader.cluster(patch.get().json(), Set.of(ALPN)));
      clusters.add(new ClusterRule(origin, globs(rule, "clusters", ""), read, alpn));
    } else {
      route(rule, origin, read(patch.get(), PatchReader.route(patch.get().json())));
    }
  }

  private Patch read(Fields patch, PatchReader.Result read) {
    read.errors().forEach(error -> problems.add(inPatch(patch, error)));
    read.ignored().forEach(field -> ignored.add(inPatch(patch, field)));
    return read.patch();
  }

  private FileProblem inPatch(Fields patch, FieldError found) {
    String field = found.path().isEmpty() ? "patch" : "patch." + found.path();
    return problem(patch.positionOf(found.steps()), field, found.reason());
  }

  private void route(Fields rule, OverlayRule origin, Patch patch) {
    Fields conditions = new Fields(rule.position(), Map.of());
    Entry entry = rule.entries().get("routes");
    if (entry != null) {
      if (entry.value() instanceof Fields fields && !fields.entries().isEmpty()) {
        conditions = fields;
      } else {
        add(entry.position(), "routes", "must be a mapping with some of " + listed(CONDITIONS));
      }
    }
    refuseUnknown(conditions, CONDITIONS, "routes.");
    routes.add(
        new RouteRule(
            origin,
            globs(rule, "targets", ""),
            globs(conditions, "path", "routes."),
            globs(conditions, "path_prefix", "routes."),
            globs(conditions, "name", "routes."),
            patch));
  }

  private void refuseUnknown(Fields fields, Set<String> known, String prefix) {
    fields
        .entries()
        .forEach(
            (key, entry) -> {
              if (!known.contains(key)) {
                add(entry.position(), prefix + key, "is unknown; supported: " + listed(known));
              }
            });
  }

  private Mode mode(Fields rule) {
    Entry entry = rule.entries().get("mode");
    if (entry == null) {
      return Mode.DEFAULT;
    }
    for (Mode mode : Mode.values()) {
      if (text(rule, "mode").filter(mode.label()::equals).isPresent()) {
        return mode;
      }
    }
    add(entry.position(), "mode", "must be default or override");
    return Mode.DEFAULT;
  }

  private Optional<Fields> patch(Fields rule) {
    Entry entry = rule.entries().get("patch");
    if (entry == null) {
      add(rule.position(), "patch", "is missing");
    } else if (entry.value() instanceof Fields fields && !fields.entries().isEmpty()) {
      return Optional.of(fields);
    } else {
      add(entry.position(), "patch", "must be a mapping that sets something");
    }
    return Optional.empty();
  }

  private List<Glob> globs(Fields fields, String key, String prefix) {
    Entry entry = fields.entries().get(key);
    if (entry == null) {
      return List.of();
    }
    List<Located> items =
        entry.value() instanceof Items list ? list.items() : List.of(entry.value());
    List<Glob> globs = new ArrayList<>();
    for (Located item : items) {
      text(item).filter(text -> !text.isEmpty()).map(Glob::of).ifPresent(globs::add);
    }
    if (globs.isEmpty() || globs.size() < items.size()) {
      add(entry.position(), prefix + key, "must be globs, such as [\"outbound|*\"]");
    }
    return globs;
  }

  private List<String> alpn(Fields patch) {
    Entry entry = patch.entries().get(ALPN);
    if (entry == null) {
      return List.of();
    }
    List<String> names = new ArrayList<>();
    List<Located> items = entry.value() instanceof Items list ? list.items() : List.of();
    items.forEach(item -> text(item).filter(OverlayFormat::isProtocol).ifPresent(names::add));
    if (names.isEmpty()
        || names.size() < items.size()
        || names.size() > MAX_ALPN
        || names.size() > Set.copyOf(names).size()) {
      add(
          entry.position(),
          "patch.alpn",
          "must be a list of up to "
              + MAX_ALPN
              + " different names of protocols that mean HTTP/2, such as [istio-h2, istio]");
    }
    return names;
  }

  /** Whether a name may be offered in ALPN: it must not name an HTTP version other than HTTP/2. */
  private static boolean isProtocol(String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    return length > 0
        && length <= MAX_ALPN_BYTES
        && !name.startsWith("http/")
        && !name.startsWith("h3");
  }

  private static boolean has(Fields fields, String key) {
    return fields.entries().containsKey(key);
  }

  private static Optional<String> text(Fields fields, String key) {
    return Optional.ofNullable(fields.entries().get(key)).flatMap(entry -> text(entry.value()));
  }

  private static Optional<String> text(Located value) {
    return value instanceof Located.Scalar scalar && scalar.json().isJsonPrimitive()
        ? Optional.of(scalar.json().getAsString())
        : Optional.empty();
  }

  private static String listed(Set<String> keys) {
    return String.join(", ", keys.stream().sorted().toList());
  }
}
