package io.outrigger.proxy.memory;

/**
 * What decides who lets go first when memory is short: the heavier account goes before the lighter.
 * Of what is short,
 *
 * <ul>
 *   <li>bytes that lie still weigh 1, and up to {@value #STILL_FACTOR} more the longer their peer
 *       has taken nothing up: a connection that stands still is stuck, one whose bytes come and go
 *       is at work;
 *   <li>bytes that come and go weigh a {@value #MOVING_PARTS}th: nearly nothing, yet of thousands
 *       that hold as little the fuller go first;
 *   <li>both weigh up to {@value #MAX_WORK} times less for a peer that takes up something all the
 *       while, as callers do;
 *   <li>an account with more than an {@value #CAUSE_SHARE}th of all that may be held is the cause,
 *       at work or not: all that it has weighs as if it had lain still for long;
 *   <li>a connection that many share, one to a backend, weighs nothing below {@value
 *       #MIN_SHARED_BYTES} bytes: we open as many as we want. A handshake with a backend serves
 *       nobody yet, and is spared nothing.
 * </ul>
 *
 * <p>No clock is read for this: time is what the loop has taken in all, in bytes. No object is made
 * for it: thousands are weighed ten times a second, when there is no memory to waste.
 */
final class Weight {
  private static final int STILL_FACTOR = 256;
  private static final int MOVING_PARTS = 16;
  private static final int MAX_WORK = 8;
  private static final int CAUSE_SHARE = 8;
  private static final int MIN_SHARED_BYTES = 64 << 10;

  /** Each time that bytes were given back so often divides the weight by one more. */
  private static final int GIVES_PER_WORK = 8;

  /**
   * What is short.
   *
   * @param ofHeap whether it is the heap, else buffers outside of it
   * @param limit how many bytes of it may be held
   * @param longTime after so many bytes taken elsewhere something has lain still for long
   */
  record Shortage(boolean ofHeap, long limit, long longTime) {}

  private Weight() {}

  /**
   * A pure number; 0 for an account that is not to be asked.
   *
   * @param isShared whether calls of many depend on it
   * @param bytes that the account holds in all
   * @param shortBytes those of them that are short
   * @param stillBytes those of these that lay still for one to two seconds
   * @param stillFor the bytes that the loop has taken since the peer last took something up
   * @param gaveBack how often it did so in these one to two seconds
   */
  static long of(
      boolean isShared,
      long bytes,
      long shortBytes,
      long stillBytes,
      long stillFor,
      int gaveBack,
      Shortage shortage) {
    if (isShared && bytes < MIN_SHARED_BYTES) {
      return 0;
    }
    if (shortBytes > shortage.limit / CAUSE_SHARE) {
      return shortBytes * (1 + STILL_FACTOR);
    }
    long times = Math.min(stillFor / Math.max(1, shortage.longTime / STILL_FACTOR), STILL_FACTOR);
    int work = 1 + Math.min(gaveBack / GIVES_PER_WORK, MAX_WORK - 1);
    return (stillBytes * (1 + times) + shortBytes / MOVING_PARTS) / work;
  }
}
