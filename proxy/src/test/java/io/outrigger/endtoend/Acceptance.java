package io.outrigger.endtoend;

import java.io.Closeable;

/** A program that tries a real peer, and prints a row for each behavior: wanted, and found. */
abstract class Acceptance implements Closeable {
  private int wrong;

  abstract void rows() throws Exception;

  /** Prints all rows, closes this program, and exits with 0 if no row differs, else with 1. */
  final void runAndExit() throws Exception {
    try (Acceptance program = this) {
      program.rows();
    }
    System.out.println(wrong == 0 ? "all as it should be" : "NOT all as it should be");
    System.exit(wrong == 0 ? 0 : 1);
  }

  final void row(String what, Object wanted, Object got) {
    boolean fine = wanted.toString().equals(got.toString());
    count(fine);
    System.out.printf("%-56s %-34s %-34s %s%n", what, wanted, got, fine ? "" : "DIFFERS");
  }

  /** Counts a row that the program prints itself. */
  final void count(boolean fine) {
    wrong += fine ? 0 : 1;
  }
}
