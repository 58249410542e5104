package io.outrigger.lb.simulation;

import io.outrigger.lb.simulation.SimulatedServer.Condition;
import java.util.ArrayList;
import java.util.List;

/**
 * What goes wrong, and when. Servers are numbered; the first half stands in zone a, the others in
 * zone b.
 *
 * @param description a text for the report
 * @param fleet how the servers differ and stand
 * @param times when the trouble is
 * @param steps in any order
 */
record Scenario(String name, String description, Fleet fleet, Times times, List<Step> steps) {
  /** How the servers differ and stand. */
  enum Fleet {
    /** All are alike, and all are in use. */
    EVEN,
    /** Every second server has a third of the capacity. */
    UNEVEN,
    /** Zone b is used only while zone a is not: two priorities. */
    FAILOVER
  }

  /** Seconds at which the trouble begins, at which it is over, and at which the run ends. */
  record Times(long fault, long good, long last) {
    /** Five minutes of trouble that do not begin or end with an interval, and their aftermath. */
    static final Times USUAL = new Times(123, 423, 603);
  }

  /** From {@code second} on, {@code server} is like that. */
  record Step(long second, int server, Condition condition) {}

  Scenario {
    steps = List.copyOf(steps);
  }

  /** All of them, for a cluster of {@code servers}. */
  static List<Scenario> all(int servers) {
    return List.of(
        new Scenario(
            "healthy",
            "no server fails; 0.1 % of all calls fail as usual",
            Fleet.EVEN,
            Times.USUAL,
            List.of()),
        new Scenario(
            "uneven",
            "no server fails; every second server has a third of the capacity",
            Fleet.UNEVEN,
            Times.USUAL,
            List.of()),
        steady("gray failure", "one server fails 5 % of its calls", 0, 1, Condition.failing(0.05)),
        steady(
            "dead server", "one server fails every call immediately", 0, 1, Condition.failing(1)),
        steady(
            "brown-out",
            "a tenth of the servers is ten times slower and fails 30 % of the calls",
            0,
            servers / 10,
            new Condition(true, 0.3, 10)),
        new Scenario(
            "zone cut off",
            "the zone in use refuses connections, so calls go to the other zone",
            Fleet.FAILOVER,
            Times.USUAL,
            span(0, servers / 2, Condition.DOWN)),
        new Scenario(
            "zone sick",
            "the zone in use accepts connections and fails every call",
            Fleet.FAILOVER,
            Times.USUAL,
            span(0, servers / 2, Condition.failing(1))),
        rollingRestart(servers),
        flapping(),
        steady(
            "all bad", "every server fails half of its calls", 0, servers, Condition.failing(0.5)));
  }

  private static Scenario steady(
      String name, String description, int from, int to, Condition condition) {
    return new Scenario(name, description, Fleet.EVEN, Times.USUAL, span(from, to, condition));
  }

  private static List<Step> span(int from, int to, Condition condition) {
    List<Step> steps = new ArrayList<>();
    for (int server = from; server < to; server++) {
      steps.add(new Step(Times.USUAL.fault(), server, condition));
      steps.add(new Step(Times.USUAL.good(), server, Condition.GOOD));
    }
    return steps;
  }

  private static Scenario rollingRestart(int servers) {
    List<Step> steps = new ArrayList<>();
    for (int server = 0; server < servers; server++) {
      long second =
          Times.USUAL.fault() + server * (Times.USUAL.good() - Times.USUAL.fault() - 5) / servers;
      steps.add(new Step(second, server, Condition.DOWN));
      steps.add(new Step(second + 5, server, Condition.GOOD));
    }
    return new Scenario(
        "rolling restart",
        "one server after the other stops for 5 s, and its calls fail",
        Fleet.EVEN,
        Times.USUAL,
        steps);
  }

  private static Scenario flapping() {
    List<Step> steps = new ArrayList<>();
    for (long second = Times.USUAL.fault(); second < Times.USUAL.good(); second += 40) {
      steps.add(new Step(second, 0, Condition.failing(1)));
      steps.add(new Step(second + 20, 0, Condition.GOOD));
    }
    return new Scenario(
        "flapping",
        "one server fails every call for 20 s of each 40 s",
        Fleet.EVEN,
        Times.USUAL,
        steps);
  }

  /** An hour in which every five minutes another server fails every call, for two minutes. */
  static Scenario hour(int servers) {
    var times = new Times(303, 3603, 3603);
    List<Step> steps = new ArrayList<>();
    for (long second = times.fault(); second < times.good(); second += 300) {
      int server = (int) (second * 7919 % servers);
      steps.add(new Step(second, server, Condition.failing(1)));
      steps.add(new Step(second + 120, server, Condition.GOOD));
    }
    return new Scenario(
        "one hour",
        "every five minutes, another server fails every call for two minutes",
        Fleet.EVEN,
        times,
        steps);
  }

  /** One server fails every call from {@code fault} on, for half an hour. */
  static Scenario oneDies(long fault) {
    var times = new Times(fault, fault + 1800, fault + 1800);
    List<Step> steps = List.of(new Step(times.fault(), 0, Condition.failing(1)));
    return new Scenario("one dies", "one server fails every call", Fleet.EVEN, times, steps);
  }

  /** How many servers are in trouble at some time. */
  long troubled() {
    return steps.stream().mapToInt(Step::server).distinct().count();
  }
}
