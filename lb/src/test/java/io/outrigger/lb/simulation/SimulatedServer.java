package io.outrigger.lb.simulation;

import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.CallOutcome;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A backend: it answers after a while, slower the more it has to do, and fails as the script says.
 * Times are nanoseconds of the simulation's clock.
 */
final class SimulatedServer {
  /** How a call will end: as what, and how long that takes. */
  record Answer(CallOutcome outcome, long nanos) {}

  /** What the server is like at present. */
  record Condition(boolean up, double failing, double slowness) {
    static final Condition GOOD = new Condition(true, 0, 1);

    /** Connections are cut and refused. */
    static final Condition DOWN = new Condition(false, 1, 1);

    static Condition failing(double share) {
      return new Condition(true, share, 1);
    }
  }

  private static final long SECOND = 1_000_000_000L;
  private static final double BASE_NANOS = 10e6;
  private static final int SLOTS = 4; // calls at once before they slow each other down

  private final String address;
  private final double capacity;
  private final double noise;
  private final SplittableRandom random;
  private Condition condition = Condition.GOOD;
  private boolean wasBad;
  private long changedNanos;
  private int inFlight;
  private long taken;
  private long window;
  private int inWindow;
  private int lastWindow;

  /**
   * @param capacity calls per second at which it is fully used
   * @param noise the share of calls that fail even when all is well
   */
  SimulatedServer(String address, double capacity, double noise, SplittableRandom random) {
    this.address = address;
    this.capacity = capacity;
    this.noise = noise;
    this.random = random;
  }

  String address() {
    return address;
  }

  boolean isUp() {
    return condition.up();
  }

  void become(Condition next, long now) {
    wasBad = !condition.equals(Condition.GOOD);
    condition = next;
    changedNanos = now;
  }

  /** Whether it is in trouble, or was so within the {@code nanos} before {@code now}. */
  boolean isBad(long now, long nanos) {
    return !condition.equals(Condition.GOOD) || (wasBad && now - changedNanos <= nanos);
  }

  /** Calls per unit of what it can take, so far. */
  double load() {
    return taken / capacity;
  }

  /** A call arrives; {@link #onEnd} follows. */
  Answer onCall(long now) {
    inFlight++;
    taken++;
    long second = now / SECOND;
    if (second != window) {
      lastWindow = second == window + 1 ? inWindow : 0;
      window = second;
      inWindow = 0;
    }
    inWindow++;
    boolean fails = random.nextDouble() < Math.max(noise, condition.failing());
    double crowd = Math.max(1, (double) inFlight / SLOTS);
    double nanos =
        BASE_NANOS
            * (100 / capacity)
            * condition.slowness()
            * crowd
            * (0.5 - 0.5 * StrictMath.log(1 - random.nextDouble()));
    return new Answer(fails ? CallOutcome.FAILURE : CallOutcome.SUCCESS, (long) nanos);
  }

  void onEnd() {
    inFlight--;
  }

  /** What it says of itself with each response. */
  BackendMetrics report() {
    double utilization = Math.max(0.01, lastWindow / capacity);
    return new BackendMetrics(0, utilization, 0, lastWindow, 0, Map.of(), Map.of());
  }
}
