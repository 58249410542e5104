package io.outrigger.xds.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.state.StateFolder.KeptResource;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Another process writes the folder and is killed, or runs out of space. */
@Timeout(120)
final class StateFolderIT {
  private static final int RESOURCES = 3; // few, so that many kills are between two files
  private static final int LONGEST_WAIT = 20;

  @TempDir Path temporary;

  @Test
  @Conformance("ST-03")
  void aProcessThatIsKilledWhileItWritesLeavesTheLastConfigurationOrTheNext() throws Exception {
    long seed = 20261127;
    var random = new Random(seed);
    int last = 0;
    for (int i = 0; i < 12; i++) {
      Process writer = writer("", "endless", Integer.toString(last));
      try (BufferedReader saved = writer.inputReader()) {
        for (int lines = 1 + random.nextInt(5); lines > 0; lines--) {
          last = Integer.parseInt(saved.readLine());
        }
        Thread.sleep(random.nextInt(LONGEST_WAIT)); // anywhere in a write
        writer.toHandle().destroyForcibly(); // kill -9; its output stays readable
        last = saved.lines().mapToInt(Integer::parseInt).reduce(last, (a, b) -> b);
      }
      assertThat(writer.waitFor()).as("killed").isEqualTo(128 + 9);

      StateFolder.Reading found = folder(temporary).read(Instant.now());

      assertThat(found.problem()).as("seed " + seed + ", kill " + i).isEmpty();
      assertThat(found.resources()).hasSize(RESOURCES);
      assertThat(generations(found)).as("seed " + seed).hasSize(1).isSubsetOf(last, last + 1);
    }
  }

  /** A file that would be too large stands for a disk that is full: both end a write half way. */
  @Test
  @Conformance("ST-03")
  void aFullDiskLeavesTheLastConfigurationAndIsTold() throws Exception {
    String limit = "ulimit -f 4 && ";
    assertThat(lines(writer(limit, "small then large"))).first().isEqualTo("saved");

    Process again = writer(limit, "small then large");
    List<String> told = lines(again);

    assertThat(told).hasSize(3);
    assertThat(told.get(1))
        .contains("the state cannot be written to " + temporary)
        .contains("File too large");
    assertThat(told.get(2)).as("it has room again").isEqualTo("saved");
    assertThat(generations(folder(temporary).read(Instant.now()))).containsExactly(3);
  }

  private static List<String> lines(Process process) throws Exception {
    try (BufferedReader out = process.inputReader()) {
      List<String> lines = out.lines().toList();
      assertThat(process.waitFor()).isZero();
      return lines;
    }
  }

  private Process writer(String before, String... arguments) throws IOException {
    List<String> java =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData", // a file that a limit would concern
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                temporary.toString()));
    java.addAll(List.of(arguments));
    List<String> shell = new ArrayList<>(List.of("sh", "-c", before + "exec \"$@\"", "sh"));
    shell.addAll(java);
    return new ProcessBuilder(shell).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static Set<Integer> generations(StateFolder.Reading found) {
    return found.resources().values().stream()
        .map(kept -> new String(kept.resource().bytes(), StandardCharsets.UTF_8))
        .map(content -> Integer.parseInt(content.strip()))
        .collect(Collectors.toSet());
  }

  private static StateFolder folder(Path path) {
    var server =
        new XdsServer(
            "cp:1", new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);
    var bootstrap =
        new Bootstrap(
            List.of(server),
            new Node("me", "", new Locality("", "", ""), Map.of()),
            Map.of(),
            Map.of(),
            "%s",
            Optional.empty());
    return new StateFolder(path, StateOrigin.of(bootstrap), Duration.ofHours(1));
  }

  /** The process that writes. It prints a line after each save. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) {
      StateFolder folder = folder(Path.of(arguments[0]));
      if (arguments[1].equals("endless")) {
        for (int generation = Integer.parseInt(arguments[2]); ; generation++) {
          save(folder, generation + 1, 10);
          System.out.println(generation + 1);
        }
      }
      Stream.of(10, 10_000, 10)
          .map(bytes -> save(folder, bytes == 10 ? 3 : 2, bytes).orElse("saved"))
          .forEach(System.out::println);
    }

    private static Optional<String> save(StateFolder folder, int generation, int bytes) {
      for (int i = 0; i < RESOURCES; i++) {
        String content = String.format("%" + bytes + "d", generation);
        folder.put(
            new KeptResource(
                new KeptResource.Key("", "cds", "r" + i),
                "cp:1",
                "v1",
                Instant.EPOCH,
                new RawResource("type", content.getBytes(StandardCharsets.UTF_8))));
      }
      return folder.save(Map.of("", Instant.now()));
    }
  }
}
