package io.outrigger.oracle;

import io.outrigger.oracle.StoryNetwork.Condition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What control plane, backends and callers of one target do, one thing a step. Cluster {@code a}
 * has backends on ports 1 to 6, {@code b} on 7 to 12; routes lead {@code /pkg.Svc/a} and {@code
 * /pkg.Svc/b} there, as far as there are any.
 */
record TrafficStory(List<Step> steps) {
  static final List<String> CLUSTERS = List.of("a", "b");
  private static final int PORTS = 6;

  /** The kinds of routes to a cluster. */
  enum Way {
    NONE,
    PLAIN,
    /** Behind a route to a cluster specifier that is not known but optional. */
    BEHIND_OPTIONAL_PLUGIN,
    /** A route to a cluster specifier that is not known but optional, and no other. */
    OPTIONAL_PLUGIN,
    /** A route to a cluster specifier that is not known. */
    UNKNOWN_PLUGIN,
    /** A route to a cluster specifier that the resource does not have. */
    MISSING_PLUGIN;

    /** Whether calls come to the cluster. */
    boolean leads() {
      return this == PLAIN || this == BEHIND_OPTIONAL_PLUGIN;
    }
  }

  /** The kinds of TLS of a cluster; connections of stories encrypt nothing. */
  enum Tls {
    NONE,
    ROOTS,
    /** Roots of a provider instance that the bootstrap does not have. */
    UNKNOWN_ROOTS,
    /** Nothing by which a server could be verified. */
    NO_ROOTS
  }

  /**
   * A cluster as the control plane has it.
   *
   * @param renamed whether its EDS service has another name than the cluster
   * @param subset the size of {@code random_subsetting} over round_robin; 0 for plain round_robin
   * @param priorities the ports of each priority's only locality
   */
  record Cluster(boolean renamed, int subset, Tls tls, List<List<Integer>> priorities) {
    /** The ports of the first priority that has any; none if none has. */
    List<Integer> first() {
      return priorities.stream().filter(ports -> !ports.isEmpty()).findFirst().orElse(List.of());
    }

    /** Whether a backend of both has another priority in {@code next}. */
    boolean moves(Cluster next) {
      for (int i = 0; i < priorities.size(); i++) {
        for (int j = 0; j < next.priorities.size(); j++) {
          if (i != j && !Collections.disjoint(priorities.get(i), next.priorities.get(j))) {
            return true;
          }
        }
      }
      return false;
    }

    /** Whether it is a resource that clients accept. */
    boolean isValid() {
      return tls == Tls.NONE || tls == Tls.ROOTS;
    }
  }

  /** One thing that happens. */
  sealed interface Step {
    /** The control plane can be reached. */
    record Attach() implements Step {}

    /** Routes to {@code a} and to {@code b}. */
    record Routes(Way toA, Way toB) implements Step {
      Way to(String cluster) {
        return cluster.equals("a") ? toA : toB;
      }

      /** Whether it is a resource that clients accept. */
      boolean isValid() {
        return Stream.of(toA, toB)
            .noneMatch(way -> way == Way.UNKNOWN_PLUGIN || way == Way.MISSING_PLUGIN);
      }
    }

    /** A cluster is made or changed, or there is none any more. */
    record Deploy(String name, Optional<Cluster> cluster) implements Step {}

    /** A backend's condition changes. */
    record Network(int port, Condition condition) implements Step {}

    /** Time goes by. */
    record Pass(Duration time) implements Step {}

    /** Somebody calls, several times. */
    record Calls(String cluster, boolean waitForReady) implements Step {}
  }

  /** A story of up to {@code length} steps, always the same for a seed. */
  static TrafficStory random(long seed, int length) {
    var random = new Random(seed);
    List<Step> steps = new ArrayList<>();
    steps.add(new Step.Routes(Way.PLAIN, way(random)));
    if (random.nextInt(4) > 0) {
      steps.add(new Step.Attach());
    }
    int count = 4 + random.nextInt(length - 3);
    while (steps.size() < count) {
      steps.add(step(random));
    }
    return new TrafficStory(steps);
  }

  private static Step step(Random random) {
    String name = CLUSTERS.get(random.nextInt(5) < 3 ? 0 : 1);
    int kind = random.nextInt(20);
    if (kind < 1) {
      return new Step.Attach();
    } else if (kind < 3) {
      return new Step.Routes(random.nextInt(3) > 0 ? Way.PLAIN : way(random), way(random));
    } else if (kind < 8) {
      boolean exists = random.nextInt(10) > 0;
      return new Step.Deploy(name, exists ? Optional.of(cluster(name, random)) : Optional.empty());
    } else if (kind < 12) {
      int port = first(name) + random.nextInt(PORTS);
      return new Step.Network(port, pick(random, Condition.values()));
    } else if (kind < 14) {
      return new Step.Pass(Duration.ofSeconds(random.nextBoolean() ? 11 : 150));
    }
    return new Step.Calls(name, random.nextInt(4) == 0);
  }

  private static int first(String cluster) {
    return 1 + PORTS * CLUSTERS.indexOf(cluster);
  }

  /** The ports of all backends that a cluster may have. */
  static IntStream portsOf(String cluster) {
    return IntStream.range(first(cluster), first(cluster) + PORTS);
  }

  private static Way way(Random random) {
    return random.nextBoolean() ? Way.PLAIN : pick(random, Way.values());
  }

  private static Cluster cluster(String name, Random random) {
    Tls tls = random.nextInt(3) > 0 ? Tls.NONE : pick(random, Tls.values());
    List<Integer> ports = portsOf(name).filter(port -> random.nextInt(5) > 0).boxed().toList();
    boolean renamed = random.nextInt(4) == 0;
    if (random.nextBoolean()) {
      return new Cluster(renamed, 1 + random.nextInt(PORTS), tls, List.of(ports));
    }
    int split = random.nextInt(ports.size() + 1);
    return new Cluster(
        renamed,
        0,
        tls,
        random.nextBoolean()
            ? List.of(ports)
            : List.of(ports.subList(0, split), ports.subList(split, ports.size())));
  }

  private static <T> T pick(Random random, T[] values) {
    return values[random.nextInt(values.length)];
  }

  /** The shortest story that one finds by leaving steps out for which {@code fails} still holds. */
  TrafficStory minimal(Predicate<TrafficStory> fails) {
    List<Step> kept = new ArrayList<>(steps);
    boolean shorter = true;
    while (shorter) {
      shorter = false;
      for (int i = kept.size() - 1; i >= 0; i--) {
        List<Step> without = new ArrayList<>(kept);
        without.remove(i);
        if (fails.test(new TrafficStory(without))) {
          kept = without;
          shorter = true;
        }
      }
    }
    return new TrafficStory(kept);
  }
}
