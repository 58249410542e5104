package io.outrigger.xds.local;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.config.overlay.OverlayRule.Mode;
import io.outrigger.xds.decode.FieldError;
import io.outrigger.xds.decode.PatchReader;
import io.outrigger.xds.local.Located.Position;
import io.outrigger.xds.overlay.Glob;
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
import org.jspecify.annotations.Nullable;

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
  private final Located document;
  private final List<FileProblem> problems;
  private final Map<String, Position> names = new HashMap<>();
  private String subject = "";

  private OverlayFormat(Path path, Located document, List<FileProblem> problems) {
    this.path = path;
    this.document = document;
    this.problems = problems;
  }

  /** Parses the rules of a file; returns no rule if any part of the file is invalid. */
  static Rules parse(Path path, String text, List<FileProblem> problems) {
    var positions = new Positions(path, text, MAX_SIZE);
    try {
      var file = new OverlayFormat(path, positions.tree(), problems);
      file.document();
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

  private void document() {
    if (!(document.json() instanceof JsonObject root)
        || !(root.get("overlay") instanceof JsonArray rules)) {
      add(document.start(), "", SHAPE);
      return;
    }
    refuseUnknown(root, Set.of("overlay"), "");
    for (int i = 0; i < rules.size(); i++) {
      subject = "overlay[" + i + "]";
      Position start = document.position(rules, Integer.toString(i));
      if (rules.get(i) instanceof JsonObject rule) {
        rule(rule, start);
      } else {
        add(start, "", "must be a mapping");
      }
    }
  }

  private void rule(JsonObject rule, Position start) {
    String name = text(rule.get("name")).orElse("");
    if (name.isBlank()) {
      add(start, "name", "is missing");
    } else {
      subject = "rule " + name;
      Position other = names.putIfAbsent(name, start);
      if (other != null) {
        String reason = "is already the name of the rule in line %d; give each rule its own";
        add(start, "name", reason.formatted(other.line()));
      }
    }
    refuseUnknown(rule, KEYS, "");
    var origin = new OverlayRule(name, path.toString(), start.line(), mode(rule));
    boolean ofClusters = rule.has("clusters");
    boolean ofRoutes = rule.has("targets") || rule.has("routes");
    if (ofClusters == ofRoutes) {
      add(
          start,
          "",
          ofClusters
              ? "has clusters beside targets or routes; it may be for one kind only"
              : "has neither clusters nor targets or routes; name those that it is for");
    } else if (!rule.has("patch")) {
      add(start, "patch", "is missing");
    } else if (!(rule.get("patch") instanceof JsonObject patch) || patch.isEmpty()) {
      add(document.position(rule, "patch"), "patch", "must be a mapping that sets something");
    } else if (ofClusters) {
      List<String> alpn = alpn(patch);
      Patch read = read(rule, PatchReader.cluster(patch, Set.of(ALPN)));
      clusters.add(new ClusterRule(origin, globs(rule, "clusters", ""), read, alpn));
    } else {
      route(rule, origin, read(rule, PatchReader.route(patch)));
    }
  }

  private Patch read(JsonObject rule, PatchReader.Result read) {
    read.errors().forEach(error -> problems.add(inPatch(rule, error)));
    read.warnings().forEach(field -> ignored.add(inPatch(rule, field)));
    return read.patch();
  }

  private FileProblem inPatch(JsonObject rule, FieldError found) {
    String field = found.path().isEmpty() ? "patch" : "patch." + found.path();
    Position patch = document.position(rule, "patch");
    Position at = document.positionOf(found.steps(), rule.get("patch"), patch);
    return problem(at, field, found.reason());
  }

  private void route(JsonObject rule, OverlayRule origin, Patch patch) {
    var conditions = new JsonObject();
    if (rule.get("routes") instanceof JsonObject fields && !fields.isEmpty()) {
      conditions = fields;
    } else if (rule.has("routes")) {
      String reason = "must be a mapping with some of " + listed(CONDITIONS);
      add(document.position(rule, "routes"), "routes", reason);
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

  private void refuseUnknown(JsonObject fields, Set<String> known, String prefix) {
    for (String key : fields.keySet()) {
      if (!known.contains(key)) {
        String reason = "is unknown; supported: " + listed(known);
        add(document.position(fields, key), prefix + key, reason);
      }
    }
  }

  private Mode mode(JsonObject rule) {
    if (!rule.has("mode")) {
      return Mode.DEFAULT;
    }
    for (Mode mode : Mode.values()) {
      if (text(rule.get("mode")).filter(mode.label()::equals).isPresent()) {
        return mode;
      }
    }
    add(document.position(rule, "mode"), "mode", "must be default or override");
    return Mode.DEFAULT;
  }

  private List<Glob> globs(JsonObject fields, String key, String prefix) {
    if (!fields.has(key)) {
      return List.of();
    }
    List<JsonElement> items =
        fields.get(key) instanceof JsonArray list ? list.asList() : List.of(fields.get(key));
    List<Glob> globs = new ArrayList<>();
    for (JsonElement item : items) {
      text(item).filter(text -> !text.isEmpty()).map(Glob::of).ifPresent(globs::add);
    }
    if (globs.isEmpty() || globs.size() < items.size()) {
      add(document.position(fields, key), prefix + key, "must be globs, such as [\"outbound|*\"]");
    }
    return globs;
  }

  private List<String> alpn(JsonObject patch) {
    if (!patch.has(ALPN)) {
      return List.of();
    }
    List<String> names = new ArrayList<>();
    List<JsonElement> items = patch.get(ALPN) instanceof JsonArray list ? list.asList() : List.of();
    items.forEach(item -> text(item).filter(OverlayFormat::isProtocol).ifPresent(names::add));
    if (names.isEmpty()
        || names.size() < items.size()
        || names.size() > MAX_ALPN
        || names.size() > Set.copyOf(names).size()) {
      add(
          document.position(patch, ALPN),
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

  private static Optional<String> text(@Nullable JsonElement value) {
    return value instanceof JsonPrimitive primitive
        ? Optional.of(primitive.getAsString())
        : Optional.empty();
  }

  private static String listed(Set<String> keys) {
    return String.join(", ", keys.stream().sorted().toList());
  }
}
