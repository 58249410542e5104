package io.outrigger.dataplane.memory;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ControlThread;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Looks at the heap now and then. {@code System.gc()} blocks, so it has its own thread.
 *
 * <ul>
 *   <li>A heap of which more is used than peers may hold is collected, so that {@link MemoryGauge}
 *       knows what lives; collections take at most a fifth of the time.
 *   <li>A heap that has grown is collected, where the JVM does not do that itself. Since Java 24
 *       the serial collector extends the old generation for what survives the young one, up to the
 *       heap's limit, before it looks for garbage there; earlier ones collected it when it had
 *       grown. On a machine with much memory a sidecar's would grow for days. No flag of the
 *       collector bounds that: {@code MaxHeapFreeRatio} and {@code MinHeapFreeRatio} apply after a
 *       full collection, which is the thing that does not come. After one the JVM leaves the old
 *       generation two thirds more than what lives in it. While memory is short for what peers
 *       hold, it waits: what has grown is known to live, and calls would stand still for nothing.
 *   <li>A heap that is full at two looks in a row, so that the JVM has not found garbage either, is
 *       collected as well; and where that leaves it full for {@link #FULL_LIMIT} the process can no
 *       longer serve: every few objects cost a collection of all.
 * </ul>
 */
@ControlConfined
public final class HeapWatch {
  /** The system property that the launcher sets where the JVM does not collect what has grown. */
  private static final String COLLECT_GROWN = "outrigger.heap.collect-grown";

  /** The most that collections may take: one in such a time. */
  static final Duration PERIOD = Duration.ofSeconds(5);

  /** Full at each look in such a time is full for good. */
  static final Duration FULL_LIMIT = Duration.ofSeconds(10);

  private static final double FULL_SHARE = 0.97;

  private static final Duration CALM = Duration.ofMillis(500);
  private static final Duration SHORT = Duration.ofMillis(50);

  /** After a collection follows so many times its time without another one. */
  private static final int REST = 4;

  /** The heap in bytes, as {@link Runtime} has it. */
  interface Heap {
    /** What it takes of the system, used or not. */
    long totalBytes();

    /** What is used of that, garbage included. */
    long usedBytes();

    /** What it can grow to. */
    long maxBytes();

    /** How often all of it was collected so far, by whomever. */
    long fullCollections();

    /** Collects all of it; all threads stand still for some ten milliseconds. */
    void collect();
  }

  private final ControlLoop loop;
  private final Heap heap;
  private final boolean collectGrown;
  private final MemoryGauge gauge;
  private final Runnable onFull;
  private long keptBytes;

  /** When the heap may be collected again. */
  private long nextNanos;

  /** Collections that were known when the heap had last grown. */
  private long knownCollections;

  private boolean wasFull;
  private int fullLooks;

  /**
   * @param loop the only work of which is this
   * @param collectGrown whether the JVM leaves that to us
   * @param gauge is told what lives after a collection
   * @param onFull called when the heap has been full for {@link #FULL_LIMIT}
   */
  HeapWatch(ControlLoop loop, Heap heap, boolean collectGrown, MemoryGauge gauge, Runnable onFull) {
    this.loop = loop;
    this.heap = heap;
    this.collectGrown = collectGrown;
    this.gauge = gauge;
    this.onFull = onFull;
  }

  /** Watches the heap of this process, for {@code gauge}, until it is closed. */
  public static ControlThread start(MemoryGauge gauge) {
    var thread = new ControlThread("heap");
    var watch =
        new HeapWatch(
            thread, new OfJvm(), Boolean.getBoolean(COLLECT_GROWN), gauge, OutOfMemory::onFullHeap);
    thread.execute(watch::begin);
    gauge.onSuspicion(() -> thread.execute(watch::measure));
    return thread;
  }

  /** Looks from now on. */
  void begin() {
    loop.checkInside();
    keptBytes = heap.totalBytes();
    loop.schedule(PERIOD, this::look);
    loop.schedule(CALM, this::measureAgain);
  }

  private void measureAgain() {
    measure();
    loop.schedule(gauge.isShort() ? SHORT : CALM, this::measureAgain);
  }

  /** Collects the heap where that says more than is known. */
  void measure() {
    if (gauge.isWorthACollection() && loop.nanoTime() - nextNanos >= 0) {
      collect();
    } else {
      gauge.lookAtHeap();
    }
  }

  private void collect() {
    long began = loop.nanoTime();
    heap.collect();
    long ended = loop.nanoTime();
    nextNanos = ended + REST * (ended - began);
    gauge.onCollected(heap.usedBytes());
  }

  private void look() {
    boolean full = wasFull && isFull();
    boolean grown = collectGrown && heap.totalBytes() > keptBytes;
    boolean waits = grown && gauge.isShort();
    if (full || (grown && !waits && isUncollected())) {
      collect();
    }
    wasFull = isFull();
    fullLooks = full && wasFull ? fullLooks + 1 : 0;
    if (PERIOD.multipliedBy(fullLooks - 1L).compareTo(FULL_LIMIT) >= 0) {
      onFull.run();
    }
    if (!waits) {
      keptBytes = heap.totalBytes();
    }
    loop.schedule(PERIOD, this::look);
  }

  /**
   * Whether the JVM has not collected a heap that has grown, which it does when there is no room.
   */
  private boolean isUncollected() {
    long collections = heap.fullCollections();
    boolean uncollected = collections == knownCollections;
    knownCollections = uncollected ? collections + 1 : collections;
    return uncollected;
  }

  /** What the young generation has room for does not help: it is emptied into the old one. */
  private boolean isFull() {
    return heap.usedBytes() > (heap.maxBytes() - MemoryPlan.YOUNG_BYTES) * FULL_SHARE;
  }

  private static final class OfJvm implements Heap {
    private final Runtime runtime = Runtime.getRuntime();

    @Override
    public long totalBytes() {
      return runtime.totalMemory();
    }

    @Override
    public long usedBytes() {
      return runtime.totalMemory() - runtime.freeMemory();
    }

    @Override
    public long maxBytes() {
      return runtime.maxMemory();
    }

    @Override
    public long fullCollections() {
      return ManagementFactory.getGarbageCollectorMXBeans().stream()
          .filter(collector -> collector.getName().equals("MarkSweepCompact"))
          .mapToLong(GarbageCollectorMXBean::getCollectionCount)
          .sum();
    }

    @Override
    public void collect() {
      System.gc();
    }
  }
}
