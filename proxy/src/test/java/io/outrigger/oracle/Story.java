package io.outrigger.oracle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;

/** What happens between an xDS client, those who watch, and a control plane; one thing a step. */
record Story(boolean failOnDataErrors, boolean transientTimer, List<Step> steps) {
  /** The resource types: one that is always complete in a response, and one that is not. */
  enum Type {
    CLUSTER,
    ENDPOINTS
  }

  /** One thing that happens. */
  sealed interface Step {
    /** Somebody begins to watch, unless they do. */
    record Watch(Type type, String name) implements Step {}

    /** They leave, if they watch. */
    record Leave(Type type, String name) implements Step {}

    /** The stream that is open is attached to a connection. */
    record Attach() implements Step {}

    /** A response on an attached stream; contents that begin with {@code !} are invalid. */
    record Respond(Type type, Map<String, String> resources) implements Step {
      public Respond {
        resources = new TreeMap<>(resources);
      }
    }

    /** The stream that is open ends. */
    record End(boolean clean) implements Step {}

    /** Time goes by. */
    record Pass(Duration time) implements Step {}
  }

  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final List<String> CONTENTS = List.of("1", "2", "!bad");
  private static final List<Duration> TIMES =
      List.of(
          Duration.ofMillis(300),
          Duration.ofSeconds(2),
          Duration.ofSeconds(7),
          Duration.ofMillis(15_500),
          Duration.ofSeconds(31),
          Duration.ofSeconds(130));

  /** A story of up to {@code length} steps, always the same for a seed. */
  static Story random(long seed, int length) {
    var random = new Random(seed);
    List<Step> steps = new ArrayList<>();
    steps.add(new Step.Watch(Type.CLUSTER, "a")); // stays: without any watch clients differ freely
    if (random.nextInt(4) > 0) {
      steps.add(new Step.Attach());
    }
    int count = 3 + random.nextInt(length - 2);
    while (steps.size() < count) {
      steps.add(step(random));
    }
    return new Story(random.nextBoolean(), random.nextBoolean(), steps);
  }

  private static Step step(Random random) {
    Type type = Type.values()[random.nextInt(2)];
    String name = NAMES.get(random.nextInt(NAMES.size()));
    int kind = random.nextInt(20);
    if (kind < 4) {
      return new Step.Watch(type, name);
    } else if (kind < 5) {
      boolean stays = type == Type.CLUSTER && name.equals("a");
      return stays ? new Step.Attach() : new Step.Leave(type, name);
    } else if (kind < 8) {
      return new Step.Attach();
    } else if (kind < 14) {
      Map<String, String> resources = new HashMap<>();
      for (String each : NAMES) {
        if (random.nextInt(3) > 0) {
          resources.put(each, CONTENTS.get(random.nextInt(CONTENTS.size())));
        }
      }
      return new Step.Respond(type, resources);
    } else if (kind < 16) {
      return new Step.End(random.nextBoolean());
    }
    return new Step.Pass(TIMES.get(random.nextInt(TIMES.size())));
  }

  /** The shortest story that one finds by leaving steps out for which {@code fails} still holds. */
  Story minimal(Predicate<Story> fails) {
    List<Step> kept = new ArrayList<>(steps);
    boolean shorter = true;
    while (shorter) {
      shorter = false;
      for (int i = kept.size() - 1; i > 0; i--) {
        List<Step> without = new ArrayList<>(kept);
        without.remove(i);
        if (fails.test(new Story(failOnDataErrors, transientTimer, without))) {
          kept = without;
          shorter = true;
        }
      }
    }
    return new Story(failOnDataErrors, transientTimer, kept);
  }
}
