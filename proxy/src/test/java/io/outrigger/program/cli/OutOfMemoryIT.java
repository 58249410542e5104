package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.WaitingClock;
import io.outrigger.program.testing.OutriggerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real program with a small heap, and a configuration that does not fit into it. */
@Timeout(600)
final class OutOfMemoryIT {
  private static final Path SMALL =
      Path.of("..", "config", "examples", "resources").toAbsolutePath();

  /** Its text alone is larger than the heap. */
  private static final int LARGE_BYTES = 60 << 20;

  @TempDir Path folder;
  @TempDir Path resources;

  private OutriggerProcess start() {
    List<String> program = new ArrayList<>();
    program.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    program.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx48m"));
    program.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    return OutriggerProcess.start(
        program,
        folder,
        Map.of(),
        "run",
        "--resources",
        resources.toString(),
        "--forward",
        "0=xds:///greeter",
        "--admin",
        "127.0.0.1:0");
  }

  private void copySmall() throws IOException {
    try (var files = Files.list(SMALL)) {
      for (Path file : files.toList()) {
        Files.copy(file, resources.resolve(file.getFileName()));
      }
    }
  }

  /** In one step, as a Kubernetes volume does it. */
  private void addLarge() throws IOException {
    Path file = folder.resolve("large");
    Files.writeString(file, "{\"resources\": []" + " ".repeat(LARGE_BYTES) + "}");
    Files.move(file, resources.resolve("large.json"), StandardCopyOption.ATOMIC_MOVE);
  }

  @Test
  void aThreadThatCannotGoOnEndsTheProcessWithOneLineAndExitCode1() throws IOException {
    addLarge();

    try (var outrigger = start()) {
      assertThat(outrigger.awaitExit()).isEqualTo(1);
      assertThat(outrigger.errorLines())
          .singleElement()
          .asString()
          .matches(
              "outrigger: out of memory on thread main, which cannot go on; the heap's limit is 4. MiB"
                  + " and that of buffers .+ MiB: raise the memory limit of the container");
    }
  }

  @Test
  void filesThatDoNotFitAreRefusedAndTheProcessGoesOn() throws IOException {
    copySmall();

    try (var outrigger = start()) {
      outrigger.awaitReady(200);
      addLarge();
      outrigger.await(
          "the failure in the log",
          () ->
              outrigger
                  .errorText()
                  .contains("resource files: not enough memory to read the files"));

      WaitingClock.sleep(Duration.ofSeconds(3)); // it is tried each second
      assertThat(outrigger.isAlive()).isTrue();
      assertThat(outrigger.get("/ready").statusCode()).isEqualTo(200);

      Files.delete(resources.resolve("large.json"));
      assertThat(outrigger.get("/ready").statusCode()).isEqualTo(200);
    }
  }
}
