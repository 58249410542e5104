package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.config.bootstrap.BootstrapReader;
import io.outrigger.config.bootstrap.BootstrapResult;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.testing.KubernetesManifests;
import io.outrigger.xds.testing.Overlays;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The documents: each link leads somewhere, each command line starts, each file to paste is
 * accepted. A block is marked {@code sh} for commands, {@code json} or {@code yaml} for files, and
 * has no mark for what a program prints.
 */
final class PagesTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PAGES = ROOT.resolve("docs");
  private static final Path SAMPLES = ROOT.resolve("config/examples");

  private static final Pattern BLOCK =
      Pattern.compile("^```([a-z]*)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern LINK =
      Pattern.compile("(?:\\]\\(|src(?:set)?=\")([^)#:\" ]*)(?:#([^)\"]*))?[)\"]");
  private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
  private static final Pattern ARGUMENTS = Pattern.compile(" args: \\[([^]]*)]");

  /** A part of a shell line: a text in quotes, or characters without spaces. */
  private static final Pattern WORD =
      Pattern.compile("(?:'[^']*'|\"[^\"]*\"|\\$\\([^)]*\\)|[^\\s'\"])+");

  private static final Set<String> OTHER_PROGRAMS =
      Set.of(
          "cosign",
          "curl",
          "docker",
          "git",
          "go",
          "grpcdebug",
          "grpcurl",
          "install",
          "kubectl",
          "mvn",
          "openssl",
          "printf",
          "sed",
          "sha256sum",
          "source",
          "systemctl",
          "tar");

  private static final int MAX_PAGES = 25;
  private static final int MAX_WORDS = 45_000;
  private static final int MAX_README_LINES = 150;

  @TempDir private Path folder;

  private record Block(String kind, String text) {}

  static Stream<Path> allDocuments() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !file.toString().contains("/target/"))
          // written by scripts/conformance: its links are relative to the pages that it is put in
          .filter(file -> !file.endsWith("scripts/lib/conformance/texts.md"))
          .sorted()
          .toList()
          .stream();
    }
  }

  /** The documents that people read: not the archive, generated reports or decisions. */
  static Stream<Path> pages() throws IOException {
    List<Path> pages;
    try (Stream<Path> files = Files.walk(PAGES)) {
      pages =
          files
              .filter(file -> file.toString().endsWith(".md"))
              .filter(file -> !file.startsWith(PAGES.resolve("archive")))
              .filter(file -> !file.startsWith(PAGES.resolve("reports")))
              .sorted()
              .toList();
    }
    return Stream.concat(
        pages.stream(), Stream.of("README.md", "docker/kubernetes/README.md").map(ROOT::resolve));
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
  @MethodSource("pages")
  void filesToPasteAreAcceptedAndCommandsStart(Path page) throws IOException {
    for (Block block : blocks(page)) {
      switch (block.kind) {
        case "json" -> acceptJson(block.text);
        case "yaml" -> acceptYaml(block.text);
        case "sh" -> block.text.replaceAll("\\\\\\R", " ").lines().forEach(this::start);
        case "" ->
            assertThat(block.text.lines())
                .as("commands of %s without the mark sh", page)
                .noneMatch(line -> line.startsWith("outrigger ") || line.startsWith("scripts/"));
        default -> throw new AssertionError(page + " has a block of " + block.kind);
      }
    }
  }

  /** A bootstrap, its certificate providers alone, or any other JSON. */
  private static void acceptJson(String text) {
    boolean isFragment = !text.startsWith("{");
    JsonObject json =
        JsonParser.parseString(isFragment ? "{" + text + "}" : text).getAsJsonObject();
    if (json.has("certificate_providers") && !json.has("xds_servers")) {
      json.add(
          "xds_servers",
          JsonParser.parseString(
              "[{\"server_uri\": \"a:1\", \"channel_creds\": [{\"type\": \"insecure\"}]}]"));
    }
    if (json.has("xds_servers")) {
      assertThat(BootstrapReader.read(json.toString()))
          .isInstanceOfSatisfying(
              BootstrapResult.Accepted.class, read -> assertThat(read.warnings()).isEmpty());
    }
  }

  /**
   * An overlay, objects of Kubernetes, a pod whose container runs this program, or any other YAML.
   */
  private void acceptYaml(String text) {
    Matcher arguments = ARGUMENTS.matcher(text);
    if (text.startsWith("overlay:")) {
      assertThat(Overlays.problems(text, ".yaml")).isEmpty();
    } else if (text.startsWith("apiVersion:")) {
      KubernetesManifests.documents("a page", text)
          .forEach(
              each -> assertThat(KubernetesModel.errors(each.object())).as("%s", each).isEmpty());
    } else if (arguments.find()) {
      start("outrigger " + arguments.group(1).replace(", ", " "));
    }
    new Load(LoadSettings.builder().build()).loadAllFromString(text).forEach(document -> {});
  }

  /** Starts a command line of this program; of other programs, the name must be a known one. */
  private void start(String line) {
    List<String> words =
        WORD.matcher(line.replaceFirst("(^| )#.*", ""))
            .results()
            .map(word -> word.group().replaceAll("['\"]", ""))
            .collect(Collectors.toCollection(ArrayList::new));
    var outrigger = new CommandLineFixture();
    outrigger.environment.put("GRPC_XDS_BOOTSTRAP", here("bootstrap.json"));
    outrigger.environment.put("KUBERNETES_SERVICE_HOST", "10.0.0.1"); // as in every pod
    outrigger.environment.put("OUTRIGGER_ADMIN", "127.0.0.1:1"); // not a sidecar that runs here
    while (!words.isEmpty() && words.get(0).matches("[A-Za-z_]+=.*")) {
      String[] variable = words.remove(0).split("=", 2);
      outrigger.environment.put(variable[0], here(variable[1]));
    }
    if (words.isEmpty()) {
      return;
    }
    String program = words.remove(0);
    if (program.matches("(scripts/|bin/|.*/bin/)?outrigger")) {
      run(line, outrigger, words);
    } else if (program.startsWith("scripts/")) {
      assertThat(ROOT.resolve(program)).as(line).isExecutable();
      words.stream() // the help of a script is a part of its text
          .filter(word -> word.startsWith("--"))
          .forEach(flag -> assertThat(ROOT.resolve(program)).as(line).content().contains(flag));
    } else {
      assertThat(OTHER_PROGRAMS).as(line).contains(program);
      words.stream()
          .filter(word -> word.matches("(docker|config|docs|proxy)/.*"))
          .forEach(file -> assertThat(ROOT.resolve(file)).as(line).exists());
    }
  }

  private void run(String line, CommandLineFixture outrigger, List<String> words) {
    outrigger.live =
        (bootstrap, overlay, target, apiServer, timeout) ->
            new LiveCheck.Result(List.of(), List.of(), "pay", 1, List.of(), List.of());

    if (words.get(0).equals("wait") && !words.contains("--timeout")) {
      words.addAll(List.of("--timeout", "1ms")); // no sidecar is there to wait for
    }

    int code = outrigger.run(words.stream().map(this::here).toArray(String[]::new));

    assertThat(code).as("%s: %s", line, outrigger.err).isNotEqualTo(2);
    assertThat(outrigger.started).as(line).hasSize(words.get(0).equals("run") ? 1 : 0);
  }

  /** Returns {@code word} with the files and addresses that exist during this test. */
  private String here(String word) {
    String name = word.replace("$POD_IP", "192.0.2.1");
    if (name.startsWith("config/examples")) {
      return ROOT.resolve(name).toString();
    }
    if (name.endsWith("bootstrap.json") || name.equals("policy.yaml")) {
      try {
        Path copy = Files.createTempDirectory(folder, "run").resolve(name.replaceAll(".*/", ""));
        return name.equals("policy.yaml")
            ? Files.writeString(copy, "overlay: []\n").toString()
            : Files.writeString(copy, bootstrap()).toString();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    return name;
  }

  /** The sample, with the template that {@code --serve} needs. */
  private static String bootstrap() throws IOException {
    JsonObject json =
        JsonParser.parseString(Files.readString(SAMPLES.resolve("bootstrap.json")))
            .getAsJsonObject();
    json.addProperty("server_listener_resource_name_template", "server/%s");
    return json.toString();
  }

  @ParameterizedTest
  @MethodSource("allDocuments")
  void eachLinkLeadsSomewhere(Path document) throws IOException {
    Matcher link = LINK.matcher(BLOCK.matcher(Files.readString(document)).replaceAll(""));
    while (link.find()) {
      Path target =
          link.group(1).isEmpty() ? document : document.resolveSibling(link.group(1)).normalize();
      assertThat(target).as("%s", document).exists();
      if (link.group(2) != null && target.toString().endsWith(".md")) {
        assertThat(anchors(target)).as("%s", document).contains(link.group(2));
      }
    }
  }

  /** The anchors that GitHub gives to the headings of {@code page}. */
  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(BLOCK.matcher(Files.readString(page)).replaceAll(""))
        .results()
        .map(heading -> heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1"))
        .map(text -> text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", ""))
        .map(text -> text.replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  @Test
  void thePagesStayFewAndShort() throws IOException {
    Set<Path> pages = pages().collect(Collectors.toCollection(TreeSet::new));
    pages.remove(ROOT.resolve("README.md"));
    pages.remove(PAGES.resolve("README.md")); // the index
    long words = 0;
    for (Path page : pages) {
      words += Files.readString(page).strip().split("\\s+").length;
    }

    assertThat(pages).hasSizeLessThanOrEqualTo(MAX_PAGES);
    assertThat(words).isLessThanOrEqualTo(MAX_WORDS);
    assertThat(Files.readAllLines(ROOT.resolve("README.md")))
        .hasSizeLessThanOrEqualTo(MAX_README_LINES);
  }

  @Test
  void theIndexHasEachPage() throws IOException {
    Path index = PAGES.resolve("README.md");
    Set<Path> named =
        LINK.matcher(Files.readString(index))
            .results()
            .map(link -> PAGES.resolve(link.group(1)).normalize())
            .collect(Collectors.toSet());

    assertThat(pages().map(Path::normalize).filter(page -> !page.equals(index.normalize())))
        .filteredOn(page -> !page.endsWith("../README.md"))
        .allSatisfy(page -> assertThat(named).contains(page));
  }

  @Test
  void thePageOfFlagsIsWhatTheProgramHas() throws IOException {
    Path page = PAGES.resolve("run/flags.md");
    String text = FlagsPage.text(new CommandLineFixture().commandLine());
    if (Boolean.getBoolean("outrigger.pages.write")) {
      Files.writeString(page, text);
    }

    assertThat(Files.readString(page))
        .as("-Doutrigger.pages.write=true writes %s", page)
        .isEqualTo(text);
  }

  @Test
  void theNewestVersionOfTheChangelogIsTheVersionOfTheProgram() throws IOException {
    String changelog = Files.readString(ROOT.resolve("CHANGELOG.md"));
    String pom = Files.readString(ROOT.resolve("pom.xml"));

    assertThat(first("^## ([0-9.]+)", changelog)).isEqualTo(first("<version>(.*)</version>", pom));
  }

  private static String first(String pattern, String text) {
    Matcher found = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text);
    assertThat(found.find()).as(pattern).isTrue();
    return found.group(1);
  }
}
