package io.outrigger.proxy.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Has a heap collected that has grown. Since Java 24 the serial collector extends the old
 * generation for what survives the young one, up to the heap's limit, before it looks for garbage
 * there; earlier ones collected it when it had grown. On a machine with much memory a sidecar's
 * would grow for days.
 *
 * <p>After a collection the JVM leaves the old generation two thirds more than what lives in it, so
 * that the next one is due when as much has come again.
 */
@ControlConfined
final class HeapGrowth {
  /** The system property that the launcher sets where the JVM needs this. */
  static final String NEEDED = "outrigger.heap.collect-grown";

  /** The most that collections may take: one in such a time. */
  static final Duration PERIOD = Duration.ofSeconds(5);

  private final ControlLoop loop;
  private final LongSupplier heapBytes;
  private final Runnable collect;
  private long keptBytes;

  /**
   * @param heapBytes what the heap takes of the system, used or not
   * @param collect the whole heap; all threads stand still for some ten milliseconds
   */
  HeapGrowth(ControlLoop loop, LongSupplier heapBytes, Runnable collect) {
    this.loop = loop;
    this.heapBytes = heapBytes;
    this.collect = collect;
  }

  /** Looks at the heap from now on. */
  void start() {
    loop.checkInside();
    keptBytes = heapBytes.getAsLong();
    loop.schedule(PERIOD, this::look);
  }

  private void look() {
    if (heapBytes.getAsLong() > keptBytes) {
      collect.run();
    }
    start();
  }
}
