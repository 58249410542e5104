package io.outrigger.oracle;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.LoggerFactory;

/**
 * {@code scripts/differential [--sequences N] [--seed S] [--length L] [--part PART]}: many stories
 * at once.
 */
final class DifferentialMain {
  /** What is compared. */
  private enum Part {
    /** What the xDS client tells its watchers: {@link StoryRun}. */
    WATCHERS,
    /** What callers of a target see: {@link TrafficRun}. */
    TRAFFIC,
    /** Which resources are accepted: {@link JudgementRun}. */
    JUDGEMENT
  }

  private DifferentialMain() {}

  public static void main(String[] args) {
    ((Logger) LoggerFactory.getLogger("io.outrigger")).setLevel(Level.OFF);
    long sequences = option(args, "--sequences", 10_000);
    long seed = option(args, "--seed", ThreadLocalRandom.current().nextLong(1L << 40));
    int length = (int) option(args, "--length", 25);
    List<Part> parts = parts(args);
    System.out.println(
        sequences + " sequences of up to " + length + " events from seed " + seed + ": " + parts);
    var totals = new TrafficTotals();
    int differences = 0;
    for (long i = 0; i < sequences && differences < 5; i++) {
      for (Part part : parts) {
        Optional<String> difference = check(part, seed + i, length, totals);
        if (difference.isPresent()) {
          differences++;
          System.out.println(difference.get());
        }
      }
    }
    if (parts.contains(Part.TRAFFIC)) {
      System.out.println(totals);
      differences += totals.areEven() ? 0 : 1;
    }
    System.out.println(differences == 0 ? "no difference" : differences + " differences");
    System.exit(differences == 0 ? 0 : 1);
  }

  private static Optional<String> check(Part part, long seed, int length, TrafficTotals totals) {
    return switch (part) {
      case WATCHERS -> StoryRun.check(seed, length);
      case TRAFFIC -> TrafficRun.check(seed, length, totals);
      case JUDGEMENT -> JudgementRun.check(seed);
    };
  }

  private static List<Part> parts(String[] args) {
    List<Part> parts = new ArrayList<>();
    for (Part part : Part.values()) {
      int place = Arrays.asList(args).indexOf("--part");
      if (place < 0 || part.name().equalsIgnoreCase(args[place + 1])) {
        parts.add(part);
      }
    }
    return parts;
  }

  private static long option(String[] args, String name, long otherwise) {
    int place = Arrays.asList(args).indexOf(name);
    return place < 0 ? otherwise : Long.parseLong(args[place + 1]);
  }
}
