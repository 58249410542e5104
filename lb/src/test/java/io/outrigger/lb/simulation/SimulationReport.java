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
        "Written by `scripts/simulate`; do not edit. The real tree (`ClusterManager` and all policies) over servers that");
    line(
        "fail as scripted, in virtual time, without sockets; equal seeds give an equal report. What to make of it:");
    line("[settings for outlier detection](../use/outlier-detection.md).");
    line("");
    line(
        "One sidecar, %d servers, %.0f calls per second to each of them (pick_first: %.0f in all). A healthy server takes",
        SERVERS, PER_SERVER, PICK_FIRST_RATE);
    line(
        "100 calls per second, answers in 10 ms and fails 0.1 %% of its calls. Callers do not wait for readiness, do not retry");
    line("and give up after 1 s. The trouble lasts from 123 s to 423 s, the run until 603 s.");
    line("");
    line(
        "* errors: share of failed calls from the beginning of the trouble to the end of the run, aftermath included");
    line(
        "* recovery: seconds until less than 1 %% of the calls failed, for 25 s at least; `-`: not while the trouble lasted");
    line(
        "* ejected: how many of the servers in trouble were ejected, and seconds until the first was");
    line("* false: ejections of servers that were not in trouble");
    line(
        "* imbalance: load of the most loaded server in units of the mean, by capacity, before the trouble");
    line("");
    line("| detection | what it is |");
    line("| --- | --- |");
    line("| off | none |");
    Kinds.detections()
        .forEach(
            (name, detection) -> detection.ifPresent(d -> line("| %s | %s |", name, describe(d))));
    line("");
    line("Under pick_first nothing is detected (decision lb-0011).");
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
    line("%s.", capitalized(scenario.inWords()));
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
    line("%d servers, %.0f calls per second to each; %s.", servers, perServer, scenario.inWords());
    line("With so few calls the volume that the defaults ask for is never reached.");
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
  private record Plan(String inWords, int endpoints, OutlierDetection detection) {}

  private void fleet() {
    double rate = 10;
    line("");
    line("## 100,000 sidecars, 1,000 endpoints");
    line("");
    line(
        "Each endpoint serves 1,000 calls per second; a sidecar makes %.0f, whatever it connects to, and chooses at random",
        rate);
    line(
        "(least_request). \"Calls\" is what it sends to one endpoint per interval on average. Seconds are computed (Poisson");
    line(
        "arrivals, A50's failure percentage, whole intervals only, so at most: `FleetView`); \"sampled\" is the real tree of %d",
        SIDECARS_SAMPLED);
    line(
        "sidecars for half an hour: how many ejected the dead endpoint, after how many seconds on average. False ejections are");
    line("per sidecar and day, at 0.1 %% of failed calls.");
    line("");
    line(
        "| endpoints per sidecar | detection | calls | chance of volume | dead: seconds | sampled | failing half: seconds | false per day |");
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
        plan.inWords(),
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
