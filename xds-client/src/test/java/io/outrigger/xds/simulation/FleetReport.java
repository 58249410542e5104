package io.outrigger.xds.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.outrigger.xds.simulation.SimulatedControlPlane.Mood;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.slf4j.LoggerFactory;

/** Writes the report to the file that is named, or with {@code --check} compares the two. */
final class FleetReport {
  private static final int SIDECARS = 10_000;

  private FleetReport() {}

  public static void main(String[] args) throws IOException {
    ((Logger) LoggerFactory.getLogger("io.outrigger")).setLevel(Level.OFF);
    boolean check = args.length == 2 && args[0].equals("--check");
    Path file = Path.of(args[args.length - 1]);
    String report = write();
    if (!check) {
      Files.writeString(file, report);
    } else if (!Files.readString(file).equals(report)) {
      System.err.println(file + " is stale: run scripts/simulate fleet and review what changed");
      System.exit(1);
    }
  }

  private static String write() {
    var text =
        new StringBuilder(
            """
            # A fleet of sidecars

            Written by `scripts/simulate fleet`; do not edit. The simulation runs %d XdsClients, one per sidecar, against one control
            plane, in virtual time and without sockets. Each XdsClient has its own random numbers; equal seeds give an equal report. Each
            XdsClient watches a listener and a cluster.

            ## The control plane is killed and comes back

            All streams end at one moment. The control plane refuses attempts to connect until the end of the outage.

            * attempts: the connection attempts per sidecar during the outage
            * peak: the most streams that the control plane accepts in any one second after the outage, as a share of all sidecars
            * all current: seconds from the end of the outage until every sidecar has acknowledged the new configuration
            * repeated: requests that repeat an earlier request of the same stream

            | outage | attempts | peak | all current | repeated |
            | ---: | ---: | ---: | ---: | ---: |
            """
                .formatted(SIDECARS));
    for (int seconds : List.of(1, 15, 60, 120, 300, 900)) {
      text.append(outage(Mood.DOWN, seconds));
    }
    text.append(
        """

        Right after the kill, every sidecar tries to connect once. A57 demands an attempt within 1.2 s after the end of a stream that
        received a response. After that, only A57's back-off (1 s × 1.6 up to 120 s, jitter of 20 %) spreads the sidecars. After an
        outage of a minute or less, more than a twentieth of the sidecars connect within one second; after an outage of five minutes or
        more, the last sidecar waits for up to 144 s. A57 prescribes this back-off, so Outrigger does not spread the attempts further.

        ## The control plane is full

        The control plane ends each stream with RESOURCE_EXHAUSTED before a response.

        | full for | attempts | peak | all current | repeated |
        | ---: | ---: | ---: | ---: | ---: |
        """);
    for (int seconds : List.of(60, 300)) {
      text.append(outage(Mood.FULL, seconds));
    }
    text.append(
        """

        ## The control plane is slow

        After an outage of 60 s, the control plane answers one request after the other. Each sidecar sends four requests: two with
        names and two acknowledgements.

        | time per answer | requests per sidecar | all current | repeated |
        | ---: | ---: | ---: | ---: |
        """);
    for (int micros : List.of(0, 2000, 5000)) {
      var fleet = new Fleet(SIDECARS);
      fleet.controlPlane.answersIn(Duration.ofNanos(micros * 1000L));
      Duration time = fleet.outage(Mood.DOWN, Duration.ofSeconds(60));
      text.append(
          String.format(
              Locale.ROOT,
              "| %.1f ms | %.2f | %.0f s | %d |%n",
              micros / 1e3,
              fleet.controlPlane.requests() / (double) SIDECARS,
              time.toMillis() / 1e3,
              fleet.controlPlane.repeated()));
    }
    return text.toString();
  }

  private static String outage(Mood mood, int seconds) {
    var fleet = new Fleet(SIDECARS);
    fleet.controlPlane.forgetCounts();
    fleet.controlPlane.fail(mood);
    fleet.loop.advance(Duration.ofSeconds(seconds));
    double attempts = fleet.controlPlane.attempts() / (double) SIDECARS;
    fleet.controlPlane.comeBack();
    Duration time = fleet.awaitAllCurrent();
    return String.format(
        Locale.ROOT,
        "| %d s | %.2f | %.1f %% | %.0f s | %d |%n",
        seconds,
        attempts,
        100.0 * fleet.controlPlane.peakOfConnects() / SIDECARS,
        time.toMillis() / 1e3,
        fleet.controlPlane.repeated());
  }
}
