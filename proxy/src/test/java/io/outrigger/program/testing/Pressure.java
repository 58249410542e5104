package io.outrigger.program.testing;

import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.memory.MemoryGauge.Limits;
import java.util.concurrent.atomic.AtomicLong;

/** A gauge that measures as large a part of its limit as a test likes. */
public final class Pressure {
  private static final long LIMIT = 100L << 33;

  private final AtomicLong direct = new AtomicLong();

  public final MemoryGauge gauge =
      new MemoryGauge(new Limits(LIMIT, LIMIT, LIMIT), () -> 0, direct::get, () -> 0, LIMIT);

  /** From now on {@code percent} of the limit are held. */
  public Pressure hold(int percent) {
    direct.set(LIMIT * percent / 100);
    gauge.measure();
    return this;
  }
}
