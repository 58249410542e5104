package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.BootstrapReader;
import io.outrigger.config.bootstrap.BootstrapResult;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.xds.testing.Overlays;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documents give to paste is taken, and what they point to is there. */
final class WaysInTest {
  private static final Path DOCS = Path.of("docs");
  private static final Path WAYS_IN = DOCS.resolve("ways-in");
  private static final Pattern BLOCK =
      Pattern.compile("^```([a-z]*)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern BEGINS_WITH_A_BLOCK = Pattern.compile("# [^\\n]+\\n\\n```");
  private static final Pattern ARGUMENTS = Pattern.compile(" args: \\[([^]]*)]");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");
  private static final Path SAMPLE = Path.of("..", "config", "examples", "bootstrap.json");

  @TempDir private Path folder;

  private record Block(String kind, String text) {}

  static Stream<Path> waysIn() throws IOException {
    return pages(WAYS_IN);
  }

  static Stream<Path> allPages() throws IOException {
    Path root = Path.of("..");
    return Stream.of(
            pages(DOCS),
            pages(WAYS_IN),
            pages(root),
            pages(root.resolve("docker")),
            pages(root.resolve("docker/kubernetes")),
            pages(root.resolve("lb/docs")),
            pages(root.resolve("config/docs")),
            pages(root.resolve("xds-client/docs")))
        .flatMap(page -> page);
  }

  private static Stream<Path> pages(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList().stream();
    }
  }

  private static List<Block> blocks(Path page) throws IOException {
    List<Block> found = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(page));
    while (block.find()) {
      found.add(new Block(block.group(1), block.group(2)));
    }
    return found;
  }

  @ParameterizedTest
  @MethodSource("waysIn")
  void whatIsToBePastedIsTaken(Path page) throws IOException {
    List<Block> blocks = blocks(page);

    assertThat(BEGINS_WITH_A_BLOCK.matcher(Files.readString(page)).lookingAt())
        .isNotEqualTo(page.endsWith("README.md"));
    for (Block block : blocks) {
      switch (block.kind) {
        case "json" ->
            assertThat(BootstrapReader.read(block.text))
                .isInstanceOfSatisfying(
                    BootstrapResult.Accepted.class, read -> assertThat(read.warnings()).isEmpty());
        case "yaml" -> {
          Matcher arguments = ARGUMENTS.matcher(block.text);
          if (block.text.startsWith("apiVersion:")) {
            KubernetesManifests.documents(page.toString(), block.text)
                .forEach(
                    each ->
                        assertThat(KubernetesModel.errors(each.object())).as("%s", each).isEmpty());
          } else if (arguments.find()) {
            // Istio's template sets the variable.
            run(
                "GRPC_XDS_BOOTSTRAP=bootstrap.json outrigger "
                    + arguments.group(1).replace(", ", " "));
          } else if (!block.text.startsWith("resources:")) {
            assertThat(Overlays.problems(block.text, ".yaml")).isEmpty();
          }
        }
        case "" -> block.text.lines().forEach(this::run);
        default -> throw new AssertionError("what is a block of " + block.kind);
      }
    }
  }

  /** A command line of ours is started; others are for other entrypoints. */
  private void run(String line) {
    List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
    var outrigger = new CommandLineFixture();
    outrigger.environment.put("KUBERNETES_SERVICE_HOST", "10.0.0.1"); // as in every pod
    while (words.get(0).contains("=")) {
      String[] variable = words.remove(0).split("=", 2);
      outrigger.environment.put(variable[0], here(variable[1]));
    }
    if (!words.remove(0).equals("outrigger")) {
      return;
    }
    outrigger.live =
        (bootstrap, overlay, target, apiServer, timeout) ->
            new LiveCheck.Result(List.of(), List.of(), "pay", 1, List.of(), List.of());

    int code = outrigger.run(words.stream().map(this::here).toArray(String[]::new));

    assertThat(code).as("%s: %s", line, outrigger.err).isNotEqualTo(2);
    assertThat(outrigger.started).hasSize(words.get(0).equals("run") ? 1 : 0);
  }

  /** The file that a bootstrap is in here. */
  private String here(String word) {
    if (!word.endsWith("bootstrap.json")) {
      return word;
    }
    try {
      return Files.copy(SAMPLE, Files.createTempDirectory(folder, "run").resolve("bootstrap.json"))
          .toString();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("allPages")
  void whatIsPointedToIsThere(Path page) throws IOException {
    Matcher link = LINK.matcher(Files.readString(page));
    while (link.find()) {
      assertThat(page.resolveSibling(link.group(1))).as("%s", page).exists();
    }
  }
}
