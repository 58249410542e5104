package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The end of the process, seen from another one. */
// In a thread of its own, since the read of a pipe hears no interrupt.
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MainTest {
  /** A program that drains at once, or never when asked for a demo. */
  static final class Draining {
    private Draining() {}

    public static void main(String[] args) {
      Main.start(
          new Entrypoints(
              (options, signals) -> {
                CountDownLatch drained = new CountDownLatch(1);
                signals.onFirst(drained::countDown);
                signals.onReopen(() -> say("reopened"));
                say("started");
                await(drained);
                say("drained");
                return 0;
              },
              List.of(),
              (duration, admin, story, signals) -> {
                signals.onHangUp(signals::arrived);
                signals.onFirst(() -> say("draining"));
                say("started");
                await(new CountDownLatch(1));
                return 0;
              },
              io.outrigger.program.app.LiveCheck::run),
          args);
    }

    private static void say(String text) {
      System.out.println(text);
      System.out.flush();
    }

    private static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static Process start(String... args) throws IOException {
    return start(Draining.class, args);
  }

  private static Process start(Class<?> program, String... args) throws IOException {
    List<String> command =
        new java.util.ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static final String[] RUN = {
    "run", "--bootstrap", "../config/examples/bootstrap.json", "--forward", "0=xds:///orders"
  };

  private static void signal(Process process, String name) throws Exception {
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }

  /** Whether this process, and so its children, ignores the signal, as below nohup. */
  private static boolean isIgnored(int number) throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return false;
    }
    String mask =
        Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .map(line -> line.substring("SigIgn:".length()).strip())
            .findFirst()
            .orElse("0");
    return (Long.parseUnsignedLong(mask, 16) >> (number - 1) & 1) == 1;
  }

  private static int exitCode(Process process) throws InterruptedException {
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ended").isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  private static BufferedReader output(Process process) {
    return process.inputReader(StandardCharsets.UTF_8);
  }

  private static void awaitLine(BufferedReader output, String expected) throws IOException {
    String line = output.readLine();
    while (line != null && !line.equals(expected)) {
      line = output.readLine();
    }
    assertThat(line).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"TERM, 15", "INT, 2"})
  void aSignalIsADrainAndExitCode0(String name, int number) throws Exception {
    assumeThat(isIgnored(number)).as("SIG%s is ignored in this environment", name).isFalse();
    Process process = start(RUN);
    BufferedReader output = output(process);
    awaitLine(output, "started");

    signal(process, name);

    awaitLine(output, "drained");
    assertThat(exitCode(process)).isZero();
  }

  @Test
  void aSecondSignalEndsADrainThatHangs() throws Exception {
    Process process = start("demo");
    BufferedReader output = output(process);
    awaitLine(output, "started");

    signal(process, "TERM");
    awaitLine(output, "draining");
    Thread.sleep(Signals.REPEAT_WINDOW.toMillis()); // or it would repeat the first
    signal(process, "TERM");

    awaitLine(output, "outrigger: second signal: ended with requests in progress");
    assertThat(exitCode(process)).isEqualTo(1);
  }

  @Test
  void sighupEndsADemoButNotASidecarAndSigusr1OpensTheAccessLogAnew() throws Exception {
    assumeThat(isIgnored(1)).as("SIGHUP is ignored in this environment").isFalse();
    Process run = start(RUN);
    BufferedReader output = output(run);
    awaitLine(output, "started");
    signal(run, "HUP");
    signal(run, "USR1");
    awaitLine(output, "reopened");
    signal(run, "TERM");
    awaitLine(output, "drained");
    assertThat(exitCode(run)).isZero();

    Process demo = start("demo");
    BufferedReader story = output(demo);
    awaitLine(story, "started");
    signal(demo, "HUP");
    awaitLine(story, "draining");
    demo.destroyForcibly();
  }

  @Test
  void theLogNamesTheBootstrapAndWrongInputIsExitCode2() throws Exception {
    String[] run = {
      "run",
      "--bootstrap",
      "../config/examples/bootstrap.json",
      "--forward",
      "0=xds:///orders",
      "--admin",
      "off"
    };
    Process good = start(Main.class, run);
    BufferedReader log = output(good);
    String line = log.readLine();
    while (line != null && !line.contains("bootstrap:")) {
      line = log.readLine();
    }
    assertThat(line)
        .matches(
            "\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z INFO  ProxyApp: bootstrap:"
                + " ../config/examples/bootstrap.json \\(--bootstrap\\)");
    signal(good, "TERM");
    assertThat(exitCode(good)).isZero();

    Process bad = start("run", "--bootstrap", "/no/such", "--forward", "0=xds:///orders");
    BufferedReader errors = output(bad);
    line = errors.readLine();
    while (line != null && !line.startsWith("outrigger:")) { // a JVM may tell of its options
      line = errors.readLine();
    }
    assertThat(line).startsWith("outrigger: --bootstrap: /no/such does not exist");
    assertThat(exitCode(bad)).isEqualTo(2);
  }
}
