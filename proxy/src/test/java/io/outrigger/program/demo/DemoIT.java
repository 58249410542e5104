package io.outrigger.program.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.app.ProxyApp;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.Machine;
import io.outrigger.program.options.OptionsReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The demo in this process, beside a sidecar that a user starts. */
final class DemoIT {
  private static final Pattern COMMAND =
      Pattern.compile("  \\S*outrigger run --bootstrap (\\S+) --forward 9001=(\\S+) --admin \\S+");

  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final CompletableFuture<Runnable> end = new CompletableFuture<>();

  @Test
  void aSecondSidecarJoinsTheMeshByThePrintedCommand() throws Exception {
    CompletableFuture<Integer> demo = CompletableFuture.supplyAsync(this::runDemo);
    Matcher command = COMMAND.matcher(awaitLine(" run --bootstrap "));
    assertThat(command.matches()).isTrue();
    Path bootstrap = Path.of(command.group(1));

    var options =
        OptionsReader.read(
            Map.of(
                Flag.BOOTSTRAP, List.of(bootstrap.toString()),
                Flag.FORWARD,
                    List.of("mine@127.0.0.1:0=" + command.group(2), "127.0.0.1:0=xds:///absent")),
            Map.of(),
            Machine.current());
    try (var second = ProxyApp.start(options)) {
      int port = ((ListenAddress.Tcp) second.listenAddress("mine")).port();
      try (var app = DemoClient.ofForward(port)) {
        assertThat(app.call().backend()).isIn("alpha", "beta");
      }
    }

    end.join().run();
    assertThat(demo.get(60, TimeUnit.SECONDS)).as("%s", lines).isZero();
    assertThat(bootstrap.getParent()).doesNotExist();
  }

  private int runDemo() {
    var out =
        new PrintWriter(Writer.nullWriter()) {
          @Override
          public void println(String line) {
            lines.add(line);
          }
        };
    try {
      return Demo.run(Optional.empty(), ListenAddress.parseTcp("127.0.0.1:0"), out, end::complete);
    } catch (Exception e) {
      lines.add(e.toString());
      throw new AssertionError(e);
    }
  }

  private String awaitLine(String part) throws InterruptedException {
    String line;
    do {
      line = lines.poll(60, TimeUnit.SECONDS);
      assertThat(line).as("a line with %s", part).isNotNull();
    } while (!line.contains(part));
    return line;
  }
}
