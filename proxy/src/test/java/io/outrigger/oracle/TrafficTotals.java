package io.outrigger.oracle;

/** What many stories about traffic came to: a comparison that met nothing proves nothing. */
final class TrafficTotals {
  /** One run in 10^8 is further away, of 24 places. */
  static final double WORST = 6.5;

  final SubsetTally ours = new SubsetTally();
  final SubsetTally grpc = new SubsetTally();
  long answered;
  long failed;
  long waited;

  /** Whether both spread their subsets evenly. */
  boolean areEven() {
    return ours.worst() < WORST && grpc.worst() < WORST;
  }

  @Override
  public String toString() {
    return "series of calls: %d answered, %d failed, %d waited%nours: %s%ngRPC: %s"
        .formatted(answered, failed, waited, ours, grpc);
  }
}
