package io.outrigger.dataplane.memory;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ControlThread;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Checks the heap regularly and collects it when that is useful. {@code System.gc()} blocks, so the
 * watch has its own thread.
 *
 * <ul>
 *   <li>When more of the heap is used than peers may hold, the watch collects the heap, so that
 *       {@link MemoryGauge} knows how many bytes are live. These collections take at most a fifth
 *       of the time.
 *   <li>When the heap has grown and the JVM does not collect it by itself, the watch collects it.
 *       Since Java 24 the serial collector extends the old generation for objects that survive the
 *       young generation, up to the heap's limit, before it searches the old generation for
 *       garbage; earlier versions collected the old generation when it had grown. On a machine with
 *       much memory the heap of a sidecar would grow for days. No flag of the collector bounds this
 *       growth: {@code MaxHeapFreeRatio} and {@code MinHeapFreeRatio} apply after a full
 *       collection, and no full collection happens. After a full collection the JVM leaves the old
 *       generation two thirds larger than its live objects. While peers hold so much that memory is
 *       short, the watch does not collect a grown heap: its growth is known to be live, so a
 *       collection would only stop all calls and free little.
 *   <li>When the heap is full at two consecutive checks, the JVM has not found garbage either, so
 *       the watch collects the heap. If the heap stays full for {@link #FULL_LIMIT} despite these
 *       collections, the process can no longer serve: every few allocations cause a full
 *       collection.
 * </ul>
 */
@ControlConfined
public final class HeapWatch {
  /**
   * The system property that the launcher sets where the JVM does not collect a heap that has
   * grown.
   */
  private static final String COLLECT_GROWN = "outrigger.heap.collect-grown";

  /** The time between two checks of the heap, each of which collects the heap at most once. */
  static final Duration PERIOD = Duration.ofSeconds(5);

  /** A heap that is full at each check for this long is treated as permanently full. */
  static final Duration FULL_LIMIT = Duration.ofSeconds(10);

  private static final double FULL_SHARE = 0.97;

  private static final Duration CALM = Duration.ofMillis(500);
  private static final Duration SHORT = Duration.ofMillis(50);

  /** After a collection no further one starts for this many times its duration. */
  private static final int REST = 4;

  /** The sizes of the heap in bytes, as {@link Runtime} reports them. */
  interface Heap {
    /** Returns the size of the heap that the JVM has reserved, used or not. */
    long totalBytes();

    /** Returns the used bytes of the heap, garbage included. */
    long usedBytes();

    /** Returns the size up to which the heap can grow. */
    long maxBytes();

    /** Returns the number of full collections so far, whoever requested them. */
    long fullCollections();

    /** Runs a full collection, which stops all threads for some ten milliseconds. */
    void collect();
  }

  private final ControlLoop loop;
  private final Heap heap;
  private final boolean collectGrown;
  private final MemoryGauge gauge;
  private final Runnable onFull;
  private long keptBytes;

  /** The time from which on the watch may collect the heap again. */
  private long nextNanos;

  /** The number of full collections that was known when the heap had last grown. */
  private long knownCollections;

  private boolean wasFull;
  private int fullLooks;

  /**
   * @param loop the control loop of the watch's own thread, which does nothing else
   * @param collectGrown whether the watch has to collect a grown heap because the JVM does not
   * @param gauge receives the number of live bytes after each collection
   * @param onFull called when the heap has been full for {@link #FULL_LIMIT}
   */
  HeapWatch(ControlLoop loop, Heap heap, boolean collectGrown, MemoryGauge gauge, Runnable onFull) {
    this.loop = loop;
    this.heap = heap;
    this.collectGrown = collectGrown;
    this.gauge = gauge;
    this.onFull = onFull;
  }

  /**
   * Starts a thread that watches the heap of this process for {@code gauge} until the thread is
   * closed.
   */
  public static ControlThread start(MemoryGauge gauge) {
    var thread = new ControlThread("heap");
    var watch =
        new HeapWatch(
            thread, new OfJvm(), Boolean.getBoolean(COLLECT_GROWN), gauge, OutOfMemory::onFullHeap);
    thread.execute(watch::begin);
    gauge.onSuspicion(() -> thread.execute(watch::measure));
    return thread;
  }

  /** Schedules the regular checks. */
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

  /**
   * Updates the gauge: by a collection if that would yield new information, else from the used
   * bytes.
   */
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
   * Whether the heap has grown without a full collection by the JVM. The JVM runs such a collection
   * only when the heap has no room left.
   */
  private boolean isUncollected() {
    long collections = heap.fullCollections();
    boolean uncollected = collections == knownCollections;
    knownCollections = uncollected ? collections + 1 : collections;
    return uncollected;
  }

  /**
   * Whether the heap is full. Room in the young generation does not count, because a collection
   * empties the young generation into the old one.
   */
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
