package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.outrigger.program.options.Flag;
import io.outrigger.testing.RefusingPort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands {@code curl}, {@code openssl} and {@code printf} of the pages, in bash, with the
 * ports of a mesh. PagesTest runs the commands of Outrigger in the same blocks.
 */
@Timeout(600)
class PageCommandsIT {
  private static final Path ROOT = Path.of("..");
  private static final Pattern BLOCK =
      Pattern.compile("^```sh\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Set<String> PROGRAMS = Set.of("curl", "openssl", "printf");

  /** An HTTP error and a failed gRPC call end the block too. */
  private static final String SETUP =
      """
      set -euo pipefail
      function outrigger { :; }
      function scripts/outrigger { :; }
      function curl {
        command curl --fail-with-body --max-time 20 --dump-header head "$@" || return
        ! grep -q '^grpc-status: [1-9]' head
      }
      """;

  private final Mesh mesh = new Mesh();
  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  private static List<String> blocks() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs)
          .filter(file -> file.toString().endsWith(".md"))
          .flatMap(file -> BLOCK.matcher(text(file)).results())
          .map((MatchResult block) -> block.group(1))
          .filter(block -> block.lines().anyMatch(line -> PROGRAMS.contains(line.split(" ", 2)[0])))
          .toList();
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theCommandsOfOtherProgramsSucceed() throws Exception {
    for (String program : PROGRAMS) {
      assumeTrue(
          program.equals("printf") || Tool.find(program).isPresent(),
          program + " is not installed");
    }
    Backend a = mesh.serve();
    RefusingPort port = mesh.keep(RefusingPort.any());
    mesh.with(Flag.SERVE, "pay@127.0.0.1:" + port.number() + "=127.0.0.1:" + a.port()).start();
    mesh.app().call("test.Pay/Charge");

    List<String> blocks = blocks();
    assertThat(blocks).hasSizeGreaterThanOrEqualTo(5);
    for (String block : blocks) {
      String here =
          block
              .replace("127.0.0.1:9901", mesh.admin().host())
              .replace("127.0.0.1:9001", "127.0.0.1:" + mesh.address().getPort());
      Process bash =
          new ProcessBuilder("bash", "-c", SETUP + here)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .start();
      String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(bash.waitFor()).as("%s\n%s", block, output).isZero();
    }
  }
}
