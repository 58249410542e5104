package io.outrigger.dataplane.memory;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ControlThread;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Measures the heap regularly, and starts a garbage collection when one is useful. {@code
 * System.gc()} blocks, so the watch has its own thread.
 *
 * <ul>
 *   <li>The watch collects the heap when the used bytes suggest that peers hold too much, or when
 *       the heap is full. After a collection, {@link MemoryGauge} knows how many bytes are live.
 *       The watch spends at most a fifth of the time in collections. If the heap stays full for
 *       {@link #FULL_LIMIT} despite collections, the watch calls {@link OutOfMemory#onFullHeap},
 *       because a JVM with a full heap does little but collect.
 *   <li>If the live bytes make memory short, the watch collects again after {@link #PERIOD},
 *       because peers may have released bytes since. The time between two collections doubles each
 *       time, up to {@link #MAX_REPEAT}, because no collection frees the live bytes of a large
 *       configuration.
 *   <li>When the heap's committed size has grown while memory is not short, the watch collects the
 *       heap. Since Java 24, the serial collector extends the old generation up to the heap's limit
 *       before it collects, and no flag bounds that growth. Without the watch, the heap of a
 *       sidecar on a large machine would grow for days.
 * </ul>
 */
@ControlConfined
public final class HeapWatch {
  /** The system property that launchers set for JVMs that let the heap grow to its limit. */
  private static final String COLLECT_GROWN = "outrigger.heap.collect-grown";

  /** The time between two checks whether the heap has grown. */
  static final Duration PERIOD = Duration.ofSeconds(5);

  /** The maximum of {@link #repeat}. */
  static final Duration MAX_REPEAT = Duration.ofSeconds(30);

  /** The time for which the heap must stay full before {@link #onFull} runs. */
  static final Duration FULL_LIMIT = Duration.ofSeconds(10);

  private static final double FULL_SHARE = 0.97;

  /** The time between two measurements of the heap, while memory is not short. */
  static final Duration CALM = Duration.ofMillis(500);

  private static final Duration SHORT = Duration.ofMillis(50);

  /** The minimum pause after a collection, as a multiple of the collection's duration. */
  private static final int REST = 4;

  /**
   * The sizes of the heap in bytes, as {@link Runtime} reports them.
   *
   * @param totalBytes the committed size of the heap
   * @param usedBytes the used bytes, garbage included
   * @param maxBytes the size up to which the heap can grow
   * @param collect runs a full collection, which stops all threads for some ten milliseconds
   */
  record Heap(LongSupplier totalBytes, LongSupplier usedBytes, long maxBytes, Runnable collect) {}

  private final ControlLoop loop;
  private final Heap heap;
  private final boolean collectGrown;
  private final MemoryGauge gauge;
  private final Runnable onFull;
  private long keptBytes;

  /** The earliest time at which the watch may collect the heap again. */
  private long nextNanos;

  private long collectedNanos;

  /** The time between two collections while live bytes alone make memory short. */
  private Duration repeat = PERIOD;

  /** The last time at which the heap was not full. */
  private long roomNanos;

  /**
   * @param loop a control loop whose thread runs only the watch's tasks
   * @param collectGrown whether the watch collects a heap that has grown, because the JVM itself
   *     does not do so
   */
  HeapWatch(ControlLoop loop, Heap heap, boolean collectGrown, MemoryGauge gauge, Runnable onFull) {
    this.loop = loop;
    this.heap = heap;
    this.collectGrown = collectGrown;
    this.gauge = gauge;
    this.onFull = onFull;
  }

  /** Starts a thread that measures the heap and updates the gauge until the thread is closed. */
  public static ControlThread start(MemoryGauge gauge) {
    var thread = new ControlThread("heap");
    Runtime jvm = Runtime.getRuntime();
    var heap =
        new Heap(
            jvm::totalMemory,
            () -> jvm.totalMemory() - jvm.freeMemory(),
            jvm.maxMemory(),
            System::gc);
    var watch =
        new HeapWatch(
            thread, heap, Boolean.getBoolean(COLLECT_GROWN), gauge, OutOfMemory::onFullHeap);
    thread.execute(watch::begin);
    gauge.onSuspicion(() -> thread.execute(watch::measure));
    return thread;
  }

  void begin() {
    loop.checkInside();
    keptBytes = heap.totalBytes.getAsLong();
    roomNanos = loop.nanoTime();
    nextNanos = roomNanos;
    if (collectGrown) {
      loop.schedule(PERIOD, this::collectIfGrown);
    }
    loop.schedule(CALM, this::measureAgain);
  }

  private void measureAgain() {
    measure();
    loop.schedule(gauge.isShort() ? SHORT : CALM, this::measureAgain);
  }

  /**
   * If a collection is useful and due, collects the heap and updates the gauge with the live bytes;
   * otherwise updates the gauge with the used bytes.
   */
  private void measure() {
    boolean isOutdated = isOutdated();
    boolean isUseful = gauge.isWorthACollection() || isFull() || isOutdated;
    boolean isDue = isUseful && loop.nanoTime() - nextNanos >= 0;
    if (isDue) {
      collect();
      Duration doubled = repeat.multipliedBy(2);
      repeat = !isOutdated ? PERIOD : doubled.compareTo(MAX_REPEAT) < 0 ? doubled : MAX_REPEAT;
    } else {
      gauge.lookAtHeap();
    }
    if (!isFull()) {
      roomNanos = loop.nanoTime();
    } else if (isDue && loop.nanoTime() - roomNanos >= FULL_LIMIT.toNanos()) {
      onFull.run();
    }
  }

  private boolean isOutdated() {
    return gauge.isHeapShort() && loop.nanoTime() - collectedNanos >= repeat.toNanos();
  }

  private void collect() {
    long began = loop.nanoTime();
    gauge.onCollecting();
    heap.collect.run();
    long ended = loop.nanoTime();
    collectedNanos = ended;
    nextNanos = ended + REST * (ended - began);
    gauge.onCollected(heap.usedBytes.getAsLong());
  }

  private void collectIfGrown() {
    if (!gauge.isShort()) {
      if (heap.totalBytes.getAsLong() > keptBytes) {
        collect();
      }
      keptBytes = heap.totalBytes.getAsLong();
    }
    loop.schedule(PERIOD, this::collectIfGrown);
  }

  /**
   * Whether the used bytes fill the old generation. Free space in the young generation does not
   * count, because a collection moves live objects from there to the old generation.
   */
  private boolean isFull() {
    return heap.usedBytes.getAsLong() > (heap.maxBytes - MemoryPlan.YOUNG_BYTES) * FULL_SHARE;
  }
}
