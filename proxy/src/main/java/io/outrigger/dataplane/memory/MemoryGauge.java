package io.outrigger.dataplane.memory;

import io.netty.channel.EventLoop;
import io.netty.util.internal.PlatformDependent;
import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.memory.MemoryView.Held;
import io.outrigger.dataplane.tls.TlsMemory;
import io.outrigger.http2.MemoryHolder;
import io.outrigger.http2.PeerErrors.Side;
import io.outrigger.http2.ProcessMemory;
import io.outrigger.xds.RawResource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Measures how much memory peers make the process hold ({@code --max-memory}). The measure is the
 * sum of three numbers: bytes that Netty's allocator has given out, bytes of {@link TlsMemory}, and
 * live bytes of the heap after a garbage collection. Live bytes of the program itself do not count.
 * Those of its configuration do not count up to {@link #HEAP_PER_BYTE} times the size of the
 * received resources.
 *
 * <pre>
 * from 50 %  short: windows do not grow, and the heaviest apps are read only ten times a second
 * from 85 %  the heaviest connections are ended, one after the other, until 75 % is reached
 * from 100 % full: new connections, and requests on connections that hold 256 KiB, are refused
 * </pre>
 *
 * <p>Each threshold is a percentage of the peers' {@link Limits}, and applies to the largest of
 * three ratios: live heap to the heap limit; buffers outside of the heap to the buffer limit; live
 * heap plus buffers to the total limit. The heap is a reason to end connections only after a
 * collection, which shows how much of the heap is live. In between, the gauge reads the used bytes
 * of the heap, garbage included, minus those of the program and its configuration. When they exceed
 * 85 % of the peers' heap limit, and usual garbage does not explain their growth, memory counts as
 * short, and {@link HeapWatch} collects. Above 100 %, the proxy stops reading from apps, except
 * apps that hold little memory and whose calls make progress. Above 115 %, the proxy also stops
 * reading from backends, because no flow-control window limits response headers.
 */
@AnyThread
public final class MemoryGauge implements ProcessMemory {
  private static final double SHORT = 0.5;
  private static final double RELIEVED = 0.75;
  private static final double HEAVY = 0.85;
  private static final double FULL = 1;

  /**
   * The value of {@link #usedShare} above which reading from backends stops. At 1.28, the old
   * generation is full ({@link MemoryPlan}).
   */
  private static final double HEAP_FULL = 1.15;

  /** The heap per byte of a resource: an unreachable endpoint of 25 bytes takes up to 3.2 KB. */
  static final int HEAP_PER_BYTE = 128;

  /**
   * Each collection lowers {@link #configuredBytes} to at least this share of the previous value,
   * because removed endpoints hold their memory for some time.
   */
  private static final double KEPT_SHARE = 0.9;

  /**
   * The maximum number of bytes that the process may hold because of its peers.
   *
   * @param directBytes the maximum outside of the heap, for buffers and TLS together
   * @param totalBytes the maximum of heap bytes and direct bytes together
   */
  public record Limits(long heapBytes, long directBytes, long totalBytes) {}

  private final Limits limits;
  private final LongSupplier heapUsed;
  private final LongSupplier direct;
  private final LongSupplier configuration;
  private final long plannedBytes;
  private final Map<EventLoop, LoopMemory> loops = new ConcurrentHashMap<>();
  private final LongAdder endedApps = new LongAdder();
  private final LongAdder endedBackends = new LongAdder();
  private final AtomicBoolean relieving = new AtomicBoolean();

  /**
   * The number of bytes that must still be freed by ending connections. Each collection of the heap
   * by {@link HeapWatch} sets this number. The bytes that connections release are then subtracted.
   */
  private final AtomicLong heapToEnd = new AtomicLong();

  /** The number of bytes that connections have released since the last collection began. */
  private final AtomicLong released = new AtomicLong();

  private volatile Runnable onSuspicion = () -> {};

  /** The bytes on the heap that the program itself holds, without its configuration. */
  private long ownBytes;

  /** The maximum number of heap bytes that count as held by the configuration. */
  private long configuredBytes;

  /** The bytes on the heap that the program and its configuration hold. */
  private volatile long programBytes;

  /** The bytes on the heap that peers may hold; shrinks when the configuration grows. */
  private volatile long heapLimit;

  /** The bytes on the heap that peers held after the last collection. */
  private volatile long heldHeap;

  /** The larger of two ratios: buffers to their limit; buffers and live heap to the total limit. */
  private volatile double directShare;

  private volatile double heapShare;

  /** The ratio of the peers' used heap, garbage included, to the peers' heap limit. */
  private volatile double usedShare;

  private volatile boolean isSuspect;

  /**
   * @param heapUsed supplies the used bytes of the heap, garbage included
   * @param direct supplies the bytes outside of the heap: all buffers, and the memory of TLS
   * @param configuration supplies the serialized bytes of the configuration
   * @param plannedBytes the limit of the peers' heap bytes without {@code --max-memory}
   */
  public MemoryGauge(
      Limits limits,
      LongSupplier heapUsed,
      LongSupplier direct,
      LongSupplier configuration,
      long plannedBytes) {
    this.limits = limits;
    this.plannedBytes = plannedBytes;
    this.heapUsed = heapUsed;
    this.direct = direct;
    this.configuration = configuration;
    ownBytes = heapUsed.getAsLong();
    programBytes = ownBytes;
    heapLimit = limits.heapBytes();
  }

  /**
   * Returns the gauge of this process. Must be called at the end of the program's start, because
   * the heap used until then counts as the program's own.
   */
  public static MemoryGauge ofProcess(Limits limits) {
    Runtime runtime = Runtime.getRuntime();
    return new MemoryGauge(
        limits,
        () -> runtime.totalMemory() - runtime.freeMemory(),
        () -> Math.max(0, PlatformDependent.usedDirectMemory()) + TlsMemory.bytes(),
        RawResource::heldBytes,
        MemoryPlan.ofProcess().peerHeapBytes());
  }

  public Limits limits() {
    return limits;
  }

  @Override
  public Accounts open(MemoryHolder connection, EventLoop loop) {
    LoopMemory accounts = loops.computeIfAbsent(loop, each -> new LoopMemory(this, each));
    accounts.open(connection);
    return accounts;
  }

  @Override
  public boolean isShort() {
    return isSuspect || Math.max(directShare, heapShare) >= SHORT;
  }

  /** Whether memory counts as short because of the live bytes at the last collection. */
  boolean isHeapShort() {
    return heapShare >= SHORT;
  }

  @Override
  public boolean onFailure(Throwable failure) {
    return OutOfMemory.onLoop(failure);
  }

  /** Whether new requests are refused on connections that hold much memory. */
  public boolean isFull() {
    return Math.max(directShare, heapShare) >= FULL;
  }

  /**
   * Whether peers and garbage use all memory that peers may use. If so, the proxy refuses new
   * connections, and stops reading from apps, except apps that hold little memory and whose calls
   * make progress.
   */
  @Override
  public boolean isUsedUp() {
    return usedShare > FULL || directShare >= FULL;
  }

  /** Whether reading from backends stops, because the heap, garbage included, is nearly full. */
  boolean isHeapFull() {
    return usedShare > HEAP_FULL;
  }

  /**
   * Measures the used heap and buffers without a collection. Begins to end connections if the
   * buffers, or buffers and live heap together, have reached 85 % of their limit.
   */
  public void measure() {
    long buffers = direct.getAsLong();
    double ofBoth = (double) (buffers + heldHeap) / limits.totalBytes();
    directShare = Math.max((double) buffers / limits.directBytes(), ofBoth);
    long used = heapUsed.getAsLong() - programBytes;
    usedShare = (double) used / heapLimit;
    if (!isSuspect && isSuspect(used)) {
      isSuspect = true;
      onSuspicion.run();
    }
    if (directShare >= HEAVY) {
      relieve();
    }
  }

  /** Sets the task that is called when the used heap suggests that peers hold too much. */
  void onSuspicion(Runnable collect) {
    onSuspicion = collect;
  }

  /**
   * Whether to collect the heap in order to decide about ending connections. Each collection stops
   * all calls for some ten milliseconds.
   */
  boolean isWorthACollection() {
    return heldHeap >= HEAVY * heapLimit || isSuspect(heapUsed.getAsLong() - programBytes);
  }

  /** Lowers the estimate of live bytes to the used bytes, which are an upper bound. */
  void lookAtHeap() {
    long held = Math.max(0, heapUsed.getAsLong() - programBytes);
    if (held < heldHeap) {
      heldHeap = held;
      heapShare = (double) held / heapLimit;
    }
    isSuspect = isSuspect(held);
    measure();
  }

  /**
   * Whether peers may hold too much: the used bytes exceed 85 % of the peers' heap limit, and have
   * grown since the last collection by more than usual garbage. Usual garbage is the larger of an
   * eighth of the limit and the young generation, which the JVM collects by itself. Above the
   * limit, the young generation does not matter.
   */
  private boolean isSuspect(long used) {
    long garbage = heapLimit / 8;
    if (used <= heapLimit) {
      garbage = Math.max(garbage, MemoryPlan.YOUNG_BYTES);
    }
    return used > HEAVY * heapLimit && used - heldHeap >= garbage;
  }

  void onCollecting() {
    released.set(0);
  }

  /**
   * Records a collection of the heap and the number of live bytes. Bytes that connections have
   * released since the collection began are subtracted, because the collection may have counted
   * them as live.
   */
  void onCollected(long liveBytes) {
    ownBytes = Math.min(ownBytes, liveBytes);
    long now = Math.min(configuration.getAsLong() * HEAP_PER_BYTE, plannedBytes);
    configuredBytes = Math.max(now, (long) (configuredBytes * KEPT_SHARE));
    divide(liveBytes);
    if (heldHeap >= HEAVY * heapLimit && apps() == 0) {
      ownBytes += heldHeap; // held by a configuration that takes more, not by peers
      divide(liveBytes);
    }
    heapShare = (double) heldHeap / heapLimit;
    isSuspect = false;
    boolean isHeavy = heapShare >= HEAVY;
    heapToEnd.set(isHeavy ? Math.max(1, weightToEnd()) : 0);
    measure();
    if (isHeavy) {
      relieving.set(false); // so that relieve() also acts while an earlier relief is in progress
      relieve();
    }
  }

  /** Splits live bytes into those of the program with its configuration, and those of peers. */
  private void divide(long liveBytes) {
    programBytes = Math.min(liveBytes, ownBytes + configuredBytes);
    heapLimit = Math.min(limits.heapBytes(), MemoryPlan.peerHeapBytes(plannedBytes, programBytes));
    heldHeap = Math.max(0, liveBytes - programBytes - released.get());
  }

  /**
   * Returns the total weight (the estimated bytes) of the connections to be ended. To free a tenth
   * of the peers' heap, for example, connections with a tenth of the total weight are ended.
   */
  private long weightToEnd() {
    long all = loops.values().stream().mapToLong(LoopMemory::weight).sum();
    return (long) ((heldHeap - RELIEVED * heapLimit) / heldHeap * all);
  }

  private void relieve() {
    if (relieving.compareAndSet(false, true)) {
      loops.values().forEach(LoopMemory::relieve);
    }
  }

  boolean isToEnd() {
    return heapToEnd.get() > 0 || directShare >= (relieving.get() ? RELIEVED : HEAVY);
  }

  void onTick() {
    relieving.set(false);
    measure();
  }

  /** Records that a connection was ended in order to free memory. */
  void onEnded(Side side, long weight) {
    (side == Side.APP ? endedApps : endedBackends).increment();
    onReleased(weight);
  }

  /** Records that the end of a connection or of streams has released the given number of bytes. */
  void onReleased(long weight) {
    released.addAndGet(weight);
    long toEnd = heapToEnd.getAndAdd(-weight);
    if (toEnd > 0 && toEnd <= weight) {
      heapShare = Math.min(heapShare, RELIEVED); // an estimate until the next collection
    }
  }

  /**
   * Ends a connection that holds much memory, because an allocation failed.
   *
   * @return whether there was a connection to end
   */
  public boolean endHeaviest() {
    LoopMemory heaviest = null;
    for (LoopMemory loop : loops.values()) {
      if (loop.apps() > 0 && (heaviest == null || loop.heaviest() > heaviest.heaviest())) {
        heaviest = loop;
      }
    }
    if (heaviest == null) {
      return false;
    }
    heaviest.endHeaviest();
    return true;
  }

  private int apps() {
    return loops.values().stream().mapToInt(LoopMemory::apps).sum();
  }

  long heaviestElsewhere(LoopMemory than) {
    return loops.values().stream()
        .filter(loop -> loop != than)
        .mapToLong(LoopMemory::heaviest)
        .max()
        .orElse(0);
  }

  /** Returns the memory that peers hold now. */
  public MemoryView now() {
    long heap = heldHeap;
    long buffers = direct.getAsLong();
    return new MemoryView(
        new Held(heap, heapLimit),
        new Held(buffers, limits.directBytes()),
        new Held(heap + buffers, limits.totalBytes()),
        List.of(
            new MemoryView.EndedCount(Side.APP, endedApps.sum()),
            new MemoryView.EndedCount(Side.BACKEND, endedBackends.sum())));
  }
}
