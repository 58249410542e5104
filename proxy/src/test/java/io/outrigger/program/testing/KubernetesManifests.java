package io.outrigger.program.testing;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files of {@code docker/kubernetes}, as JSON; a name twice in one object is an error. */
public final class KubernetesManifests {
  public static final Path FOLDER = Path.of("..", "docker", "kubernetes");
  private static final Path KUSTOMIZE = FOLDER.resolve("kustomize");

  private KubernetesManifests() {}

  /**
   * One document of one file.
   *
   * @param file its name
   */
  public record Manifest(String file, JsonObject object) {
    public String kind() {
      return object.get("kind").getAsString();
    }

    /** A Pod as the workload would create it; empty for what creates none. */
    public Optional<JsonObject> pod() {
      return at("spec", "template")
          .map(
              template -> {
                JsonObject pod = template.deepCopy();
                pod.addProperty("apiVersion", "v1");
                pod.addProperty("kind", "Pod");
                return pod;
              });
    }

    private Optional<JsonObject> at(String... path) {
      JsonObject here = object;
      for (String name : path) {
        if (!here.has(name)) {
          return Optional.empty();
        }
        here = here.getAsJsonObject(name);
      }
      return Optional.of(here);
    }

    @Override
    public String toString() {
      return file + ": " + kind();
    }
  }

  /** All documents that {@code kubectl apply} takes, with what the Kustomize example comes to. */
  public static List<Manifest> all() {
    List<Manifest> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      files
          .filter(file -> file.toString().endsWith(".yaml"))
          .sorted()
          .forEach(file -> all.addAll(read(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    all.add(kustomized());
    return all;
  }

  /** The document of {@code kind} in {@code file} of the folder. */
  public static JsonObject one(String file, String kind) {
    return read(FOLDER.resolve(file)).stream()
        .filter(manifest -> manifest.kind().equals(kind))
        .findFirst()
        .orElseThrow()
        .object();
  }

  public static JsonObject kustomization(String folder) {
    return read(KUSTOMIZE.resolve(folder).resolve("kustomization.yaml")).get(0).object();
  }

  public static Path kustomizeFile(String folder, String name) {
    return KUSTOMIZE.resolve(folder).resolve(name);
  }

  /** The app of the example with the component's patch, and then its own, merged into it. */
  private static Manifest kustomized() {
    JsonObject app = read(kustomizeFile("example", "shop.yaml")).get(0).object();
    JsonObject sidecar = read(kustomizeFile("component", "sidecar.yaml")).get(0).object();
    String own =
        kustomization("example")
            .getAsJsonArray("patches")
            .get(0)
            .getAsJsonObject()
            .get("patch")
            .getAsString();
    JsonObject forward = documents("kustomization.yaml", own).get(0).object();
    for (JsonObject patch : List.of(sidecar, forward)) {
      patch.add("metadata", new JsonObject()); // says what the patch is for, which the target does
      StrategicMerge.into(app, patch);
    }
    return new Manifest("kustomize/example", app);
  }

  private static List<Manifest> read(Path file) {
    try {
      return documents(file.getFileName().toString(), Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The documents of {@code yaml}, a text of {@code file}. */
  public static List<Manifest> documents(String file, String yaml) {
    List<Manifest> documents = new ArrayList<>();
    var load = new Load(LoadSettings.builder().setLabel(file).setAllowDuplicateKeys(false).build());
    for (Object document : load.loadAllFromString(yaml)) {
      JsonElement json = JsonParser.parseString(new Gson().toJson(document)); // numbers as written
      documents.add(new Manifest(file, json.getAsJsonObject()));
    }
    return documents;
  }
}
