package io.outrigger.dataplane.memory;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.internal.PlatformDependent;
import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.memory.MemoryView.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much memory peers make the process hold, as it is measured ({@code --max-memory}): what
 * Netty's allocator has given out, and what lives on the heap after a collection beyond what the
 * program itself has there.
 *
 * <pre>
 * from 50 %  short: windows do not grow, and the heaviest apps are read from ten times a second
 * from 85 %  the heaviest connections are ended, one after the other, until it is 75 %
 * from 100 % full: new requests and connections are refused
 * </pre>
 *
 * <p>The shares are those of whichever limit is nearest: of the heap, of buffers outside of it, or
 * of both together. Of the heap only a collection says what lives. Between two of them what is used
 * is an upper bound: above 85 % by that figure memory counts as short, above 100 % only busy apps
 * that hold little are read from, and {@link HeapWatch} asks for a collection; connections are
 * ended for what it has found.
 */
@AnyThread
public final class MemoryGauge {
  private static final double SHORT = 0.5;
  private static final double RELIEVED = 0.75;
  private static final double HEAVY = 0.85;
  private static final double FULL = 1;

  /** Finds that nothing is held. */
  public static final MemoryGauge UNLIMITED =
      new MemoryGauge(new Limits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE), () -> 0, () -> 0);

  private final Limits limits;
  private final LongSupplier heapUsed;
  private final LongSupplier direct;
  private final FastThreadLocal<@Nullable LoopMemory> current = new FastThreadLocal<>();
  private final List<LoopMemory> loops = new CopyOnWriteArrayList<>();
  private final AtomicLongArray ended = new AtomicLongArray(PeerSide.values().length);
  private final AtomicBoolean relieving = new AtomicBoolean();

  /** Of all weight so much is to be ended before the heap is collected again. */
  private final AtomicLong heapToEnd = new AtomicLong();

  private volatile Runnable onSuspicion = () -> {};

  /** What the program itself has on the heap. */
  private volatile long programBytes;

  /** What peers had on the heap after the last collection. */
  private volatile long heldHeap;

  /** Of the limits that are measured at once: buffers, and both together. */
  private volatile double directShare;

  private volatile double heapShare;
  private volatile boolean isSuspect;
  private volatile boolean isUsedUp;

  /**
   * @param heapUsed what is used of the heap now, garbage included
   * @param direct what buffers outside of the heap take now
   */
  public MemoryGauge(Limits limits, LongSupplier heapUsed, LongSupplier direct) {
    this.limits = limits;
    this.heapUsed = heapUsed;
    this.direct = direct;
    programBytes = heapUsed.getAsLong();
  }

  /** The gauge of this process, which has loaded what it needs to begin. */
  public static MemoryGauge ofProcess(Limits limits) {
    Runtime runtime = Runtime.getRuntime();
    return new MemoryGauge(
        limits,
        () -> runtime.totalMemory() - runtime.freeMemory(),
        () -> Math.max(0, PlatformDependent.usedDirectMemory()));
  }

  public Limits limits() {
    return limits;
  }

  /** The connections of {@code loop}; call it there. */
  public LoopMemory on(EventExecutor loop) {
    LoopMemory known = current.get();
    if (known == null || known.loop() != loop) {
      known = new LoopMemory(this, loop);
      current.set(known);
      if (limits.totalBytes() < Long.MAX_VALUE) {
        loops.add(known);
      }
    }
    return known;
  }

  /** What peers had on the heap after the last collection, in bytes. */
  public long heapBytes() {
    return heldHeap;
  }

  /** What buffers outside of the heap take, in bytes. */
  public long directBytes() {
    return direct.getAsLong();
  }

  /** Whether so much is held that nothing is to be kept for speed alone. */
  public boolean isShort() {
    return isSuspect || Math.max(directShare, heapShare) >= SHORT;
  }

  /** Whether new requests are refused. */
  public boolean isFull() {
    return Math.max(directShare, heapShare) >= FULL;
  }

  /**
   * Whether all that peers may hold is used, garbage on the heap included: then new connections are
   * refused, and only busy apps are read from.
   */
  public boolean isUsedUp() {
    return isUsedUp;
  }

  /** Measures what costs nothing to measure, and has connections ended where that is too much. */
  public void measure() {
    long buffers = directBytes();
    double ofBoth = (double) (buffers + heldHeap) / limits.totalBytes();
    directShare = Math.max((double) buffers / limits.directBytes(), ofBoth);
    long used = heapUsed.getAsLong() - programBytes;
    isUsedUp = used > limits.heapBytes() || directShare >= FULL;
    if (!isSuspect && isSuspect(used)) {
      isSuspect = true;
      onSuspicion.run();
    }
    if (directShare >= HEAVY) {
      relieve();
    }
  }

  /** Has {@code collect} called once more of the heap is used than peers may hold. */
  void onSuspicion(Runnable collect) {
    onSuspicion = collect;
  }

  /** Whether a collection would say more than is known. */
  boolean isWorthACollection() {
    long held = heapUsed.getAsLong() - programBytes;
    return heldHeap >= HEAVY * limits.heapBytes()
        || (held >= SHORT * limits.heapBytes() && held - heldHeap >= limits.heapBytes() / 8);
  }

  /** What is used is no less than what lives: without a collection it says this much. */
  void lookAtHeap() {
    long held = Math.max(0, heapUsed.getAsLong() - programBytes);
    if (held < heldHeap) {
      heldHeap = held;
      heapShare = (double) held / limits.heapBytes();
    }
    isSuspect = isSuspect(held);
    measure();
  }

  /** Whether {@code held} is too much, and more than garbage of a moment beyond what lives. */
  private boolean isSuspect(long held) {
    return held > HEAVY * limits.heapBytes() && held - heldHeap >= limits.heapBytes() / 8;
  }

  /** The heap was collected: {@code liveBytes} of it are in use. */
  void onCollected(long liveBytes) {
    programBytes = Math.min(programBytes, liveBytes);
    if (liveBytes - programBytes >= HEAVY * limits.heapBytes() && apps() == 0) {
      programBytes = liveBytes; // a configuration that has grown: there is no peer to end for it
    }
    heldHeap = liveBytes - programBytes;
    heapShare = (double) heldHeap / limits.heapBytes();
    isSuspect = false;
    heapToEnd.set(heapShare >= HEAVY ? Math.max(1, weightToEnd()) : 0);
    measure();
    if (heapToEnd.get() > 0) {
      relieve();
    }
  }

  /** As large a part of all weight as the part of the heap that must go. */
  private long weightToEnd() {
    long all = loops.stream().mapToLong(LoopMemory::weight).sum();
    return (long) ((heldHeap - RELIEVED * limits.heapBytes()) / heldHeap * all);
  }

  private void relieve() {
    if (relieving.compareAndSet(false, true)) {
      loops.forEach(LoopMemory::relieve);
    }
  }

  /** Whether one more connection is to be ended. */
  boolean isToEnd() {
    return heapToEnd.get() > 0 || directShare >= (relieving.get() ? RELIEVED : HEAVY);
  }

  /** Time has passed on a loop: the next measurement may ask for more. */
  void onTick() {
    relieving.set(false);
    measure();
  }

  /** A connection is ended so that memory becomes free. */
  void onEnded(PeerSide side, long weight) {
    ended.incrementAndGet(place(side));
    if (heapToEnd.addAndGet(-weight) <= 0) {
      heapShare = Math.min(heapShare, RELIEVED); // until a collection has measured it
    }
  }

  /**
   * Ends the heaviest connection, since there was no memory for something.
   *
   * @return false when there is none to be ended
   */
  public boolean endHeaviest() {
    LoopMemory heaviest = null;
    for (LoopMemory loop : loops) {
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
    return loops.stream().mapToInt(LoopMemory::apps).sum();
  }

  long heaviestElsewhere(LoopMemory than) {
    long most = 0;
    for (LoopMemory loop : loops) {
      if (loop != than) {
        most = Math.max(most, loop.heaviest());
      }
    }
    return most;
  }

  /** How many connections to {@code side} were ended since the start. */
  public long ended(PeerSide side) {
    return ended.get(place(side));
  }

  @SuppressWarnings("EnumOrdinal") // places among counters of this process
  private static int place(PeerSide side) {
    return side.ordinal();
  }

  /**
   * What is held now.
   *
   * @param max how many of the heaviest connections
   */
  public CompletionStage<MemoryView> view(int max) {
    List<CompletableFuture<List<MemoryView.Holder>>> answers = new ArrayList<>();
    for (LoopMemory loop : loops) {
      var answer = new CompletableFuture<List<MemoryView.Holder>>();
      answers.add(answer);
      try {
        loop.loop().execute(() -> answer.complete(loop.view(max)));
      } catch (RejectedExecutionException stopped) {
        answer.complete(List.of());
      }
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            all ->
                view(
                    answers.stream()
                        .flatMap(answer -> answer.join().stream())
                        .sorted(Comparator.comparingLong(MemoryView.Holder::bytes).reversed())
                        .limit(max)
                        .toList()));
  }

  /** The sums alone, at once. */
  public MemoryView now() {
    return view(List.of());
  }

  private MemoryView view(List<MemoryView.Holder> heaviest) {
    List<MemoryView.EndedCount> counts = new ArrayList<>();
    for (PeerSide side : PeerSide.values()) {
      counts.add(new MemoryView.EndedCount(side, ended(side)));
    }
    return new MemoryView(heapBytes(), directBytes(), limits, counts, heaviest);
  }
}
