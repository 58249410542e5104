package io.outrigger.abuse;

/**
 * The most that the process took in a stretch of time.
 *
 * @param rssMib resident memory
 * @param pinnedMib resident memory that the kernel cannot take back: not that of mapped files
 * @param heapMib what is held on the heap for peers, as the program counts it; NaN where it does
 *     not
 * @param directMib the same in buffers
 * @param buffersMib what all buffers take, in use or kept for later
 * @param adminSilences times that the admin server did not answer for three seconds, which is when
 *     a probe fails
 */
record Usage(
    double rssMib,
    double pinnedMib,
    double heapMib,
    double directMib,
    double buffersMib,
    int adminSilences) {
  static final Usage NONE = new Usage(0, 0, Double.NaN, Double.NaN, 0, 0);

  Usage resident(double rss, double pinned) {
    return new Usage(
        Math.max(rssMib, rss),
        Math.max(pinnedMib, pinned),
        heapMib,
        directMib,
        buffersMib,
        adminSilences);
  }

  Usage held(double heap, double direct, double buffers) {
    return new Usage(
        rssMib,
        pinnedMib,
        greater(heapMib, heap),
        greater(directMib, direct),
        Math.max(buffersMib, buffers),
        adminSilences);
  }

  Usage silent() {
    return new Usage(rssMib, pinnedMib, heapMib, directMib, buffersMib, adminSilences + 1);
  }

  private static double greater(double most, double now) {
    return Double.isNaN(most) || now > most ? now : most;
  }
}
