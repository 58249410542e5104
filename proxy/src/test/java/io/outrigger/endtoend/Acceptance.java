package io.outrigger.endtoend;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.Closeable;
import java.util.List;
import org.slf4j.LoggerFactory;

/** A program that tries a real peer, and prints a row for each behavior: wanted, and found. */
abstract class Acceptance implements Closeable {
  private static final String ROW = "%-56s %-34s %-34s %s%n";

  static { // the rows tell failures
    for (String name : List.of(Logger.ROOT_LOGGER_NAME, "io.outrigger")) {
      ((Logger) LoggerFactory.getLogger(name)).setLevel(Level.ERROR);
    }
  }

  private int wrong;

  abstract void rows() throws Exception;

  /** Prints all rows, closes this program, and exits with 0 if no row differs, else with 1. */
  final void runAndExit() throws Exception {
    System.out.printf(ROW, "scenario", "expected", "found", "");
    try (Acceptance program = this) {
      program.rows();
    }
    System.out.println(wrong == 0 ? "all as it should be" : "NOT all as it should be");
    System.exit(wrong == 0 ? 0 : 1);
  }

  final void row(String what, Object wanted, Object got) {
    boolean fine = wanted.toString().equals(got.toString());
    count(fine);
    System.out.printf(ROW, what, wanted, got, fine ? "" : "DIFFERS");
  }

  /** Counts a row that the program prints itself. */
  final void count(boolean fine) {
    wrong += fine ? 0 : 1;
  }
}
