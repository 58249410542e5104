package io.outrigger.lb.simulation;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.simulation.Simulation.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The text of {@code docs/reports/simulation.md}; the same at each run. */
final class SimulationReport {
  private static final int SERVERS = 50;
  private static final double PER_SERVER = 15;
  private static final double NOISE = 0.001;
  private static final double PICK_FIRST_RATE = 60;
  private static final int SEED = 1;
  private static final int SIDECARS_SAMPLED = 20;

  private final StringBuilder text = new StringBuilder();
  private long calls;

  /** Runs everything and writes it down. */
  static String write() {
    var report = new SimulationReport();
    report.introduction();
    Scenario.all(SERVERS).forEach(report::scenario);
    report.hour();
    report.fleet();
    report.subsets();
    report.line("");
    report.line("Simulated calls in this report: %,d.", report.calls);
    return report.text.toString();
  }

  private void introduction() {
    line("# Simulation");
    line("");
    line(
        "Written by `scripts/simulate`; do not edit. The simulation runs the real load-balancing"
            + " tree (`ClusterManager` and all");
    line(
        "policies) in virtual time, without sockets. The servers fail as scripted. Equal seeds give"
            + " an equal report.");
    line(
        "[Settings for outlier detection](../use/outlier-detection.md) draws conclusions from this"
            + " report.");
    line("");
    line(
        "One sidecar has a cluster of %d servers and makes %.0f calls per second for each server."
            + " With pick_first, the sidecar makes %.0f calls per second in all.",
        SERVERS, PER_SERVER, PICK_FIRST_RATE);
    line(
        "A healthy server has a capacity of 100 calls per second, answers in 10 ms and fails 0.1 %%"
            + " of its calls. Callers do not wait");
    line(
        "for readiness, do not retry, and give up after 1 s. The scripted failure lasts from 123 s"
            + " to 423 s; a run ends at 603 s.");
    line("");
    line("* errors: the share of failed calls from the start of the failure to the end of the run");
    line(
        "* recovery: the seconds from the start of the failure to the first 25 s in which less than"
            + " 1 %% of the calls fail; `-` if the");
    line("  failure ends first");
    line(
        "* ejected: how many of the failing servers were ejected, and the seconds until the first"
            + " ejection");
    line("* false: the number of ejections of servers that did not fail");
    line(
        "* imbalance: the largest load of a server before the failure, divided by the mean load;"
            + " a load is calls divided by capacity");
    line("");
    line("| detection | settings |");
    line("| --- | --- |");
    line("| off | none |");
    Kinds.detections()
        .forEach(
            (name, detection) -> detection.ifPresent(d -> line("| %s | %s |", name, describe(d))));
    line("");
    line("Outlier detection ignores pick_first (decision lb-0011).");
  }

  private static String describe(OutlierDetection d) {
    String common =
        "interval %d s, at most %d %%".formatted(d.interval().toSeconds(), d.maxEjectionPercent());
    return d.successRate()
            .map(
                s ->
                    "success rate, %.1f deviations, volume %d; "
                        .formatted(s.stdevFactor() / 1000.0, s.requestVolume()))
            .or(
                () ->
                    d.failurePercentage()
                        .map(
                            f ->
                                "failure percentage above %d %%, volume %d; "
                                    .formatted(f.threshold(), f.requestVolume())))
            .orElse("")
        + common;
  }

  private void scenario(Scenario scenario) {
    line("");
    line("## %s", scenario.name());
    line("");
    line("%s.", capitalized(scenario.description()));
    line("");
    line("| policy | detection | errors | recovery | ejected | false | imbalance |");
    line("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
    Kinds.policies()
        .forEach(
            (name, policy) ->
                detectionsOf(policy)
                    .forEach(
                        (kind, detection) -> row(name, kind, run(policy, detection, scenario))));
  }

  /** pick_first is the same with all of them. */
  private static Map<String, Optional<OutlierDetection>> detectionsOf(BalancingPolicy policy) {
    return policy instanceof BalancingPolicy.PickFirst
        ? Map.of("defaults", Optional.of(Kinds.DEFAULTS))
        : Kinds.detections();
  }

  private Result run(
      BalancingPolicy policy, Optional<OutlierDetection> detection, Scenario scenario) {
    double rate =
        policy instanceof BalancingPolicy.PickFirst ? PICK_FIRST_RATE : PER_SERVER * SERVERS;
    return counted(new Simulation(policy, detection, SERVERS, rate, NOISE, SEED).run(scenario));
  }

  private Result counted(Result result) {
    calls += result.calls();
    return result;
  }

  private void row(String policy, String detection, Result result) {
    line(
        "| %s | %s | %s | %s | %s | %d | %.2f |",
        policy,
        detection,
        percent(result.errorRate()),
        seconds(result.recovery()),
        result.troubled() == 0 || detection.equals("off") ? "" : ejected(result),
        result.falseEjections(),
        result.imbalance());
  }

  private static String ejected(Result result) {
    String share = result.ejected() + " of " + result.troubled();
    return result.ejected() == 0 ? share : share + ", " + seconds(result.ejection());
  }

  private void hour() {
    int servers = 1000;
    double perServer = 6;
    Scenario scenario = Scenario.hour(servers);
    line("");
    line("## %s", scenario.name());
    line("");
    line(
        "%d servers, %.0f calls per second to each; %s.",
        servers, perServer, scenario.description());
    line("At 6 calls per second, no server reaches the request volume of the defaults.");
    line("");
    line("| policy | detection | errors | ejected | false | imbalance |");
    line("| --- | --- | ---: | ---: | ---: | ---: |");
    for (OutlierDetection detection : List.of(Kinds.DEFAULTS, Kinds.BRISK)) {
      String kind = detection.equals(Kinds.DEFAULTS) ? "defaults" : "brisk";
      var simulation =
          new Simulation(
              ClusterResource.DEFAULT_POLICY,
              Optional.of(detection),
              servers,
              perServer * servers,
              NOISE,
              SEED);
      Result result = counted(simulation.run(scenario));
      line(
          "| round_robin | %s | %s | %d of %d | %d | %.2f |",
          kind,
          percent(result.errorRate()),
          result.ejected(),
          result.troubled(),
          result.falseEjections(),
          result.imbalance());
    }
  }

  /** A row of the plan for a large fleet. */
  private record Plan(String description, int endpoints, OutlierDetection detection) {}

  private void fleet() {
    double rate = 10;
    line("");
    line("## 100,000 sidecars, 1,000 endpoints");
    line("");
    line(
        "Each endpoint serves 1,000 calls per second. A sidecar makes %.0f calls per second, for"
            + " any number of endpoints, and chooses",
        rate);
    line("endpoints at random (least_request).");
    line("");
    line("* calls: the mean number of calls that a sidecar sends to one endpoint per interval");
    line(
        "* chance of volume: the probability that the calls of an interval reach the request volume");
    line(
        "* dead: the computed seconds until a sidecar ejects an endpoint that fails every call."
            + " `FleetView` assumes Poisson arrivals,");
    line(
        "  A50's failure percentage and only whole intervals. The real time is therefore never"
            + " longer.");
    line(
        "* sampled: how many of %d sidecars with a real tree ejected the dead endpoint within half"
            + " an hour, and the mean seconds until then",
        SIDECARS_SAMPLED);
    line(
        "* half fails: the computed seconds until a sidecar ejects an endpoint that fails half of"
            + " its calls");
    line("* false per day: false ejections per sidecar and day, if 0.1 %% of the calls fail");
    line("");
    line(
        "| endpoints per sidecar | detection | calls | chance of volume | dead: seconds | sampled |"
            + " half fails: seconds | false per day |");
    line("| ---: | --- | ---: | ---: | ---: | --- | ---: | ---: |");
    var grpc = Kinds.failing(Duration.ofSeconds(10), 85, 50);
    for (Plan plan :
        List.of(
            new Plan("defaults", 1000, Kinds.DEFAULTS),
            new Plan("failure percentage, its defaults", 1000, grpc),
            new Plan("brisk", 1000, Kinds.BRISK),
            new Plan("60 %, volume 3, 300 s", 1000, Kinds.failing(Duration.ofSeconds(300), 60, 3)),
            new Plan("brisk", 20, Kinds.BRISK),
            new Plan("60 %, volume 3, 10 s", 20, Kinds.failing(Duration.ofSeconds(10), 60, 3)),
            new Plan("40 %, volume 5, 30 s", 20, Kinds.failing(Duration.ofSeconds(30), 40, 5)),
            new Plan("60 %, volume 3, 10 s", 5, Kinds.failing(Duration.ofSeconds(10), 60, 3)))) {
      fleetRow(plan, rate);
    }
  }

  private void fleetRow(Plan plan, double rate) {
    OutlierDetection detection = plan.detection();
    double mean = FleetView.callsPerInterval(detection, plan.endpoints(), rate);
    long volume =
        detection
            .failurePercentage()
            .map(f -> f.requestVolume())
            .orElseGet(() -> detection.successRate().orElseThrow().requestVolume());
    boolean computed = detection.failurePercentage().isPresent();
    var view = new FleetView(detection, plan.endpoints(), rate);
    line(
        "| %,d | %s | %.2f | %s | %s | %s | %s | %s |",
        plan.endpoints(),
        plan.description(),
        mean,
        chance(FleetView.chanceOfVolume(mean, volume)),
        computed ? seconds(view.secondsToEjection(1)) : "-",
        sampled(plan, rate),
        computed ? seconds(view.secondsToEjection(0.5)) : "-",
        computed ? "%.2g".formatted(view.falseEjectionsPerDay(NOISE)) : "-");
  }

  private String sampled(Plan plan, double rate) {
    List<Double> times = new ArrayList<>();
    for (int sidecar = 0; sidecar < SIDECARS_SAMPLED; sidecar++) {
      var simulation =
          new Simulation(
              Kinds.LEAST_REQUEST,
              Optional.of(plan.detection()),
              plan.endpoints(),
              rate,
              NOISE,
              SEED + sidecar);
      Result result = counted(simulation.run(Scenario.oneDies(301 + sidecar * 7)));
      if (result.ejected() > 0) {
        times.add(result.ejection());
      }
    }
    String share = times.size() + " of " + SIDECARS_SAMPLED;
    return times.isEmpty()
        ? share
        : share + ", " + seconds(times.stream().mapToDouble(t -> t).average().orElseThrow());
  }

  private void subsets() {
    var subsets = new SubsetReport();
    calls += subsets.calls();
    line("");
    subsets.lines().forEach(each -> line("%s", each));
  }

  private static String capitalized(String words) {
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  private static String percent(double share) {
    return "%.2f %%".formatted(100 * share);
  }

  private static String chance(double share) {
    return share < 1e-9 ? "0" : "%.2g".formatted(share);
  }

  private static String seconds(double seconds) {
    return seconds > 1e7 ? "-" : "%.1f".formatted(seconds);
  }

  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
