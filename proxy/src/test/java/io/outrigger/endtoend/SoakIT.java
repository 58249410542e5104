package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.outrigger.base.WaitingClock;
import io.outrigger.endtoend.Churn.World;
import io.outrigger.endtoend.SoakReport.Sample;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Mixed load and changes for as long as {@code scripts/soak} says, a few seconds by default,
 * against the real program in a process of its own: no failed call, no leak, no memory that only
 * grows.
 *
 * <p>System properties: {@code outrigger.soak.seconds}; {@code outrigger.soak.churn}, changes a
 * second; {@code outrigger.soak.program}, the launcher to use; {@code outrigger.soak.report}, the
 * file for the report.
 */
class SoakIT {
  private static final int UNARY_PER_SECOND = 1_000;
  private static final int STREAMS = 50;

  private static final int BRIEF_PER_SECOND = 200;
  private static final List<Churn> KINDS = List.of(Churn.values());

  /** Each kind of change goes on for so long before the next. */
  private static final Duration SPELL = Duration.ofSeconds(10);

  /** Each collects garbage. */
  private static final Duration MIN_BETWEEN_SAMPLES = Duration.ofSeconds(2);

  /** Before this share of the run has passed, caches and pools may still fill. */
  private static final double SETTLED = 0.25;

  /** What a settled process may still grow by, garbage not counted: noise of pools. */
  private static final double MAY_GROW_MIB = 24;

  /**
   * The launcher switches Netty's leak detector off. Every 16th buffer costs little and is enough
   * for what leaks again and again; without the launcher it looks at some of them anyway.
   */
  private static final Map<String, String> LOOKING_FOR_LEAKS =
      Map.of(
          "OUTRIGGER_JAVA_OPTS",
          "-Dio.netty.leakDetection.level=simple -Dio.netty.leakDetection.samplingInterval=16");

  private final SoakReport report = new SoakReport();

  @TempDir Path folder;

  @Test
  void nothingFailsLeaksOrGrows() throws Exception {
    Duration length = Duration.ofSeconds(Long.getLong("outrigger.soak.seconds", 4));
    int churn = Integer.getInteger("outrigger.soak.churn", 20);
    try (Mesh mesh = new Mesh()) {
      List<Backend> backends = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        backends.add(mesh.backend("b" + i).quiet());
      }
      var brief = mesh.keep(new StrictBackend("brief", World.LIMITS));
      var world = new World(mesh.controlPlane.quiet(), backends, brief);
      world.start();
      OutriggerProcess sidecar = mesh.keep(sidecar(mesh.controlPlane.target()));
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), sidecar.port("orders"));
      ManagedChannel talk =
          NettyChannelBuilder.forAddress(address).usePlaintext().disableRetry().build();
      mesh.keep(talk::shutdownNow);
      Load unary = mesh.load(mesh.keep(new App(address)), "test.Pay/Charge", UNARY_PER_SECOND);
      Load briefly =
          mesh.load(mesh.keep(new App(address)), World.BRIEF + "Charge", BRIEF_PER_SECOND);
      var streams = mesh.keep(new StreamLoad(talk, "test.Pay/Talk", STREAMS));
      var passing = mesh.keep(new PassingApps(address, "test.Pay/Talk"));

      long start = WaitingClock.nanoTime();
      Duration each = Duration.ofMillis(1000L / churn);
      Duration between = Collections.max(List.of(length.dividedBy(60), MIN_BETWEEN_SAMPLES));
      Duration sampled = Duration.ZERO;
      int spell = -1;
      for (int step = 0; passed(start).compareTo(length) < 0; step++) {
        if (passed(start).compareTo(sampled) >= 0) {
          sample(passed(start), sidecar, unary, briefly, streams, passing);
          sampled = sampled.plus(between);
        }
        int now = (int) passed(start).dividedBy(SPELL);
        if (now != spell) {
          spell = now;
          mesh.controlPlane.revive();
          world.start();
        }
        KINDS.get(spell % KINDS.size()).apply(world, step);
        WaitingClock.sleep(each);
      }
      unary.close();
      briefly.close();
      streams.close();
      passing.close();
      sample(passed(start), sidecar, unary, briefly, streams, passing);
      Await.until(
          "no request is active",
          () ->
              sidecar
                  .get("/metrics")
                  .body()
                  .contains("outrigger_requests_active{forward=\"orders\"} 0"));
      Await.until(
          "backends hold no call",
          () -> backends.stream().allMatch(backend -> backend.running() == 0));
      String text = report.text(length, unary, briefly, streams, passing, sidecar.errorLines());
      Files.writeString(reportFile(), text);
      if (length.toMinutes() >= 1) {
        System.out.println(text);
      }

      assertThat(unary.failures()).isEmpty();
      assertThat(briefly.failures()).isEmpty();
      assertThat(streams.failures()).isEmpty();
      assertThat(passing.failures()).isEmpty();
      assertThat(mesh.controlPlane.nacks()).isEmpty();
      assertThat(unary.succeeded()).isPositive();
      assertThat(briefly.by("brief")).isPositive();
      assertThat(brief.everServed()).isGreaterThan(1);
      assertThat(streams.succeeded()).isPositive();
      assertThat(passing.connections()).isPositive();
      assertThat(sidecar.errorLines()).noneMatch(line -> line.contains("LEAK"));
      if (length.toMinutes() >= 10) {
        assertThat(report.growthMib(Sample::heldMib, SETTLED)).isLessThan(MAY_GROW_MIB);
      }
      sidecar.terminate();
      assertThat(sidecar.awaitExit()).isZero();
    }
  }

  private OutriggerProcess sidecar(String controlPlane) throws IOException {
    Path bootstrap = folder.resolve("bootstrap.json");
    Files.writeString(
        bootstrap,
        """
        {"xds_servers":[{"server_uri":"%s","channel_creds":[{"type":"insecure"}],
          "server_features":["xds_v3"]}],"node":{"id":"soak"}}"""
            .formatted(controlPlane));
    String[] args = {
      "run",
      "--bootstrap",
      bootstrap.toString(),
      "--forward",
      "orders@127.0.0.1:0=xds:///orders",
      "--admin",
      "127.0.0.1:0"
    };
    String program = System.getProperty("outrigger.soak.program", "");
    OutriggerProcess process =
        program.isEmpty()
            ? OutriggerProcess.start(folder, LOOKING_FOR_LEAKS, args)
            : OutriggerProcess.start(List.of(program), folder, LOOKING_FOR_LEAKS, args);
    return process.awaitReady(200);
  }

  private Path reportFile() {
    String file = System.getProperty("outrigger.soak.report", "");
    return file.isEmpty() ? folder.resolve("soak.txt") : Path.of(file);
  }

  /**
   * Memory is looked at as it is, and once more after a collection: what the collector lets lie is
   * bounded by the heap's size, and hides for a quarter of an hour whether anything else grows.
   */
  private void sample(
      Duration at,
      OutriggerProcess sidecar,
      Load unary,
      Load briefly,
      StreamLoad streams,
      PassingApps passing)
      throws IOException {
    double resident = residentMib(sidecar.pid());
    collectGarbage(sidecar.pid());
    String metrics = sidecar.get("/metrics").body();
    long failed =
        unary.failed()
            + briefly.failed()
            + Stream.of(streams.failures(), passing.failures())
                .flatMap(failures -> failures.values().stream())
                .mapToLong(AtomicLong::get)
                .sum();
    report.add(
        new Sample(
            at,
            resident,
            residentMib(sidecar.pid()),
            value(metrics, "jvm_memory_used_bytes{area=\"heap\"}") / (1 << 20),
            value(metrics, "jvm_memory_used_bytes{area=\"direct\"}") / (1 << 20),
            (long) value(metrics, "outrigger_requests_active{forward=\"orders\"}"),
            unary.succeeded() + briefly.succeeded() + streams.succeeded(),
            failed));
  }

  private static double value(String metrics, String series) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  /** Resident memory of the process; a launcher that has not become the JVM would be small. */
  private static double residentMib(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024;
      }
    }
    throw new AssertionError(String.format(Locale.ROOT, "no VmRSS of %d", pid));
  }

  private static void collectGarbage(long pid) throws IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process asked =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.run")
            .redirectErrorStream(true)
            .start();
    String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said).contains("Command executed successfully");
  }

  private static Duration passed(long start) {
    return Duration.ofNanos(WaitingClock.nanoTime() - start);
  }
}
