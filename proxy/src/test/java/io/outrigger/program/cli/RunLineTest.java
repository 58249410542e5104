package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.options.Flag;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RunLineTest {
  @Test
  void plainFlagsAreRead() {
    String line =
        "run --forward 1=xds:///a --resources=r --ignore-route-timeout --forward 2=xds:///b=c"
            + " --ignore-route-timeout";

    assertThat(RunLine.read("run", "--threads=1", "--ignore-route-timeout").orElseThrow())
        .containsEntry(Flag.THREADS, List.of("1"))
        .containsEntry(Flag.IGNORE_ROUTE_TIMEOUT, List.of("true"))
        .hasSize(2);
    assertThat(RunLine.read(line.replace(" --ignore-route-timeout", "").split(" ")).orElseThrow())
        .containsEntry(Flag.FORWARD, List.of("1=xds:///a", "2=xds:///b=c"))
        .containsEntry(Flag.RESOURCES, List.of("r"))
        .hasSize(2);
    assertThat(RunLine.read("run").orElseThrow()).isEmpty();
    assertThat(RunLine.read(line.split(" "))).as("a switch given twice").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "run --help",
        "run -h",
        "run stray",
        "run --nonsense 1",
        "run --threads",
        "run --threads=",
        "run --threads --admin off",
        "run --access-log -",
        "run --threads 1 --threads 2",
        "run --ignore-route-timeout stray",
        "run --ignore-route-timeout false",
      })
  void anythingElseIsLeftToPicocli(String line) {
    assertThat(RunLine.read(line.split(" "))).isEmpty();
  }
}
