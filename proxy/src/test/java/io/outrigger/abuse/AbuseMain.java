package io.outrigger.abuse;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.outrigger.abuse.AttackRun.Length;
import io.outrigger.base.WaitingClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** {@code scripts/abuse}: all attacks in a random order, again and again. */
final class AbuseMain {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<Attack> attacks = new ArrayList<>();
  private Duration length = Duration.ofMinutes(10);
  private String memory = "256m";
  private int threads = 1;
  private Entrance entrance = Entrance.FORWARD;
  private long seed = ThreadLocalRandom.current().nextLong(1L << 40);

  /** Of what the program said, when a bound was broken. */
  private static final int LAST_LINES = 20;

  private @Nullable AttackedSidecar sidecar;

  private AbuseMain() {}

  public static void main(String[] args) {
    ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
    var main = new AbuseMain();
    try {
      if (!main.read(args)) {
        System.exit(0);
      }
    } catch (IllegalArgumentException e) {
      System.err.println("abuse: " + e.getMessage() + "; see --help");
      System.exit(2);
    }
    try {
      System.exit(main.run() ? 0 : 1);
    } catch (AssertionError e) {
      System.err.println("abuse: " + e.getMessage()); // threads would keep the process
      System.exit(1);
    }
  }

  /** False when there is nothing to run. */
  private boolean read(String[] args) {
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--list" -> {
          for (Attack attack : Attack.values()) {
            System.out.println(attack.text() + " (" + attack.side().text() + ")");
          }
          return false;
        }
        case "--minutes" -> length = Duration.ofMinutes(number(args, ++i));
        case "--memory" -> memory = value(args, ++i);
        case "--threads" -> threads = (int) number(args, ++i);
        case "--seed" -> seed = number(args, ++i);
        case "--control" -> entrance = Entrance.CONTROLLED;
        case "--serve" -> entrance = Entrance.SERVE;
        case "--serve=tls" -> entrance = Entrance.SERVE_TLS;
        case "--attack" -> attacks.add(Attack.named(value(args, ++i)));
        default -> throw new IllegalArgumentException("unknown argument " + args[i]);
      }
    }
    if (attacks.isEmpty()) {
      attacks.addAll(Arrays.asList(Attack.values()));
      attacks.removeIf(attack -> !attack.isFor(entrance));
    }
    for (Attack attack : attacks) {
      if (!attack.isFor(entrance)) {
        throw new IllegalArgumentException(
            attack.text()
                + (attack.side() == Attack.Side.CONTROL
                    ? " needs --control"
                    : " needs --serve=tls"));
      }
    }
    if (!memory.matches("[1-9][0-9]*[mg]")) {
      throw new IllegalArgumentException("--memory " + memory + " is not like 256m or 1g");
    }
    return true;
  }

  private static String value(String[] args, int at) {
    if (at == args.length) {
      throw new IllegalArgumentException(args[at - 1] + " needs a value");
    }
    return args[at];
  }

  private static long number(String[] args, int at) {
    String text = value(args, at);
    if (!text.matches("[0-9]{1,15}")) {
      throw new IllegalArgumentException(args[at - 1] + ": " + text + " is no number");
    }
    return Long.parseLong(text);
  }

  private boolean run() {
    System.out.printf("memory %s, threads %d, --seed %d%n", memory, threads, seed);
    var random = new Random(seed);
    var report = new AbuseReport();
    long began = WaitingClock.nanoTime();
    while (WaitingClock.nanoTime() - began < length.toNanos()) {
      Collections.shuffle(attacks, random);
      for (Attack attack : attacks) {
        if (WaitingClock.nanoTime() - began < length.toNanos()) {
          Trial trial = play(attack);
          report.add(trial);
          System.out.println(attack.text() + ": " + verdict(trial));
        }
      }
    }
    end();
    System.out.print(report.text());
    return !report.isBroken();
  }

  private static String verdict(Trial trial) {
    return trial.broken().isEmpty()
        ? "ok, p99 of the neighbour "
            + Trial.millis(trial.calls().quantile(0.99))
            + " of "
            + Trial.millis(trial.bound())
        : trial.broken().toString();
  }

  private Trial play(Attack attack) {
    try {
      AttackedSidecar attacked = sidecar;
      if (attacked == null) {
        attacked = new AttackedSidecar(folder(), memory, threads, entrance);
        sidecar = attacked;
      }
      Trial trial = Trial.of(attack, attacked, Length.LONG, PATIENCE);
      if (!trial.broken().isEmpty()) {
        List<String> said = attacked.process.errorLines();
        said.subList(Math.max(0, said.size() - LAST_LINES), said.size())
            .forEach(System.out::println);
      }
      if (!trial.isOver()) {
        end();
      }
      return trial;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void end() {
    AttackedSidecar attacked = sidecar;
    if (attacked != null) {
      attacked.close();
      sidecar = null;
    }
  }

  private static Path folder() throws IOException {
    Path folder = Files.createTempDirectory("outrigger-abuse");
    folder.toFile().deleteOnExit();
    return folder;
  }
}
