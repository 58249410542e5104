package io.outrigger.lb.simulation;

/** Calls and failed calls by the time at which they began, in tenths of a second. */
final class Tally {
  private static final long BIN_NANOS = 100_000_000L;
  private static final int BINS_PER_SECOND = 10;
  private static final int WINDOW = 2 * BINS_PER_SECOND;
  private static final int QUIET = 25 * BINS_PER_SECOND;
  private static final int FEW = 5; // failed calls in a window say nothing below that
  private static final double SETTLED = 0.01;

  private final int[] calls;
  private final int[] failed;

  Tally(long seconds) {
    calls = new int[(int) seconds * BINS_PER_SECOND + 1];
    failed = new int[calls.length];
  }

  void add(long startNanos, boolean failure) {
    int bin = (int) (startNanos / BIN_NANOS);
    calls[bin]++;
    if (failure) {
      failed[bin]++;
    }
  }

  long calls() {
    return sum(calls, 0, calls.length);
  }

  /** The share of calls that failed, of those that began within these seconds. */
  double errorRate(long fromSecond, long toSecond) {
    int from = (int) fromSecond * BINS_PER_SECOND;
    int to = (int) toSecond * BINS_PER_SECOND;
    return (double) sum(failed, from, to) / Math.max(1, sum(calls, from, to));
  }

  /**
   * Seconds from {@code fromSecond} until less than 1 % of the calls fail in any two seconds of the
   * 25 that follow; infinite when that is not so before {@code toSecond}.
   */
  double secondsToRecover(long fromSecond, long toSecond) {
    int from = (int) fromSecond * BINS_PER_SECOND;
    int to = (int) toSecond * BINS_PER_SECOND;
    int recovered = from;
    for (int bin = from; bin + WINDOW <= to; bin++) {
      if (bin - recovered >= QUIET) {
        break;
      }
      long bad = sum(failed, bin, bin + WINDOW);
      if (bad >= FEW && bad >= SETTLED * sum(calls, bin, bin + WINDOW)) {
        recovered = bin + 1; // the window's beginning is bad still
      }
    }
    return to - recovered < QUIET
        ? Double.POSITIVE_INFINITY
        : (double) (recovered - from) / BINS_PER_SECOND;
  }

  private static long sum(int[] bins, int from, int to) {
    long sum = 0;
    for (int i = from; i < to; i++) {
      sum += bins[i];
    }
    return sum;
  }
}
