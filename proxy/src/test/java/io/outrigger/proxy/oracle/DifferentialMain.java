package io.outrigger.proxy.oracle;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.LoggerFactory;

/** {@code scripts/differential [--sequences N] [--seed S] [--length L]}: many stories at once. */
final class DifferentialMain {
  private DifferentialMain() {}

  public static void main(String[] args) {
    ((Logger) LoggerFactory.getLogger("io.outrigger")).setLevel(Level.OFF);
    long sequences = option(args, "--sequences", 10_000);
    long seed = option(args, "--seed", ThreadLocalRandom.current().nextLong(1L << 40));
    int length = (int) option(args, "--length", 25);
    System.out.println(sequences + " sequences of up to " + length + " events from seed " + seed);
    int differences = 0;
    for (long i = 0; i < sequences && differences < 5; i++) {
      Optional<String> difference = StoryRun.check(seed + i, length);
      if (difference.isPresent()) {
        differences++;
        System.out.println(difference.get());
      }
    }
    System.out.println(differences == 0 ? "no difference" : differences + " differences");
    System.exit(differences == 0 ? 0 : 1);
  }

  private static long option(String[] args, String name, long otherwise) {
    int place = Arrays.asList(args).indexOf(name);
    return place < 0 ? otherwise : Long.parseLong(args[place + 1]);
  }
}
