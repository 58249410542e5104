package io.outrigger.proxy.memory;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.outrigger.base.AnyThread;
import io.outrigger.proxy.memory.MemoryView.Ended;
import io.outrigger.proxy.memory.MemoryView.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All bytes that live because of peers, by connection ({@code --max-memory}).
 *
 * <pre>
 * from 40 %  short: connections return credit only for bytes that went on; the heaviest are read
 *            from ten times a second
 * from 60 %  filling: one that fills memory is not read from for a moment
 * from 85 %  the heaviest let go until 75 % are held: streams, then connections
 * from 100 % full: new requests and connections are refused; no loop waits for another one's
 *            heavier connections to let go first
 * </pre>
 *
 * <p>The shares are those of whichever limit is nearest: of the heap, of buffers outside of it, or
 * of both together. Beside what is counted the ledger asks what buffers really take ({@link
 * #askInUse}), which is more where parts of them are in use.
 */
@AnyThread
public final class MemoryLedger {
  /** Counts, but never finds that it is too much. */
  public static final MemoryLedger UNLIMITED =
      new MemoryLedger(new Limits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE));

  private static final double SHORT = 0.4;
  private static final double FILLING = 0.6;
  private static final double RELIEVED = 0.75;
  private static final double HEAVY = 0.85;
  private static final double FULL = 1;

  private final Limits limits;
  private final FastThreadLocal<@Nullable LoopAccounts> current = new FastThreadLocal<>();
  private final List<LoopAccounts> loops = new CopyOnWriteArrayList<>();
  private final AtomicBoolean relieving = new AtomicBoolean();
  private final AtomicLongArray ended =
      new AtomicLongArray(PeerSide.values().length * Ended.values().length);

  private volatile double share;
  private volatile boolean heapIsShortest = true;

  /** Bytes of buffers that are counted and bounded elsewhere. */
  private volatile LongSupplier others = () -> 0;

  /** What all buffers take. */
  private volatile LongSupplier inUse = () -> 0;

  public MemoryLedger(Limits limits) {
    this.limits = limits;
  }

  /** Counts the bytes of buffers in, too, that {@code others} tells; any thread asks it. */
  public void alsoHeld(LongSupplier others) {
    this.others = others;
  }

  public Limits limits() {
    return limits;
  }

  /** The accounts of {@code loop}; call it there. */
  public LoopAccounts on(EventExecutor loop) {
    LoopAccounts known = current.get();
    if (known == null || known.loop() != loop) {
      known = new LoopAccounts(this, loop);
      current.set(known);
      if (limits.totalBytes() < Long.MAX_VALUE) {
        loops.add(known);
      }
    }
    return known;
  }

  /** What peers make the heap hold. */
  public long heapBytes() {
    long sum = 0;
    for (LoopAccounts loop : loops) {
      sum += loop.heapBytes();
    }
    return sum;
  }

  /** What they make buffers outside of the heap hold. */
  public long directBytes() {
    long sum = others.getAsLong();
    for (LoopAccounts loop : loops) {
      sum += loop.directBytes();
    }
    return sum;
  }

  /**
   * What buffers take, as a share of the limit for what peers hold in them. Of a chunk of which
   * little is in use all is taken, so that it may be more than is counted; but at most a quarter
   * more is believed, since what nobody has counted nobody can let go.
   */
  private long directToLimit() {
    long counted = directBytes();
    return Math.min(counted + counted / 4, Math.max(counted, inUse.getAsLong()));
  }

  /**
   * Has looks ask what all buffers take now, whoever counts them, as part of what they may; any
   * thread asks it, often.
   *
   * @param bytes scaled to {@link Limits#directBytes}
   */
  public void askInUse(LongSupplier bytes) {
    inUse = bytes;
  }

  /** Whether so much is held that nobody is to be given room ahead of time. */
  public boolean isShort() {
    return share >= SHORT;
  }

  /** Whether one that goes on as it does may soon make others let go. */
  boolean isFilling() {
    return share >= FILLING;
  }

  /** Whether nothing new may begin. */
  public boolean isFull() {
    return share >= FULL;
  }

  /**
   * Whether nothing new may begin, looked at now: then whoever can let go has to, since the loop
   * with the heaviest connections may be one that gets no processor.
   */
  boolean isFullNow() {
    return measure() >= FULL;
  }

  /** Looks at the sums, and has all loops make connections let go when too much is held. */
  public void look() {
    if (measure() >= HEAVY && relieving.compareAndSet(false, true)) {
      for (LoopAccounts loop : loops) {
        loop.post(loop::relieve);
      }
    }
  }

  private double measure() {
    long heap = heapBytes();
    long direct = directToLimit();
    double ofHeap = (double) heap / limits.heapBytes();
    double ofDirect = (double) direct / limits.directBytes();
    double ofTotal = (double) (heap + direct) / limits.totalBytes();
    heapIsShortest = ofHeap >= ofTotal ? ofHeap >= ofDirect : ofDirect < ofTotal && heap >= direct;
    double now = Math.max(ofTotal, Math.max(ofHeap, ofDirect));
    share = now;
    return now;
  }

  /** Whether connections are to let go, and nobody has found that there is nothing more to end. */
  boolean isHeavy() {
    return share >= HEAVY;
  }

  /**
   * A loop has done what it can, or time has passed; the next look may ask for more. A loop that
   * found nothing to end is not asked again at once.
   */
  void mayRelieveAgain() {
    relieving.set(false);
  }

  /** How many bytes of what is short must go; 0 or less when none. */
  long excess() {
    long heap = heapBytes();
    long direct = directToLimit();
    long ofTotal = (long) (heap + direct - RELIEVED * limits.totalBytes());
    long ofPool =
        isHeapShortest()
            ? (long) (heap - RELIEVED * limits.heapBytes())
            : (long) (direct - RELIEVED * limits.directBytes());
    return Math.max(ofTotal, ofPool);
  }

  private boolean isHeapShortest() {
    return heapIsShortest;
  }

  /** Which kind of memory is nearest to its limit. */
  Weight.Shortage shortage() {
    boolean ofHeap = isHeapShortest();
    long limit = ofHeap ? limits.heapBytes() : limits.directBytes();
    return new Weight.Shortage(ofHeap, limit, limits.totalBytes());
  }

  long heaviestElsewhere(LoopAccounts than) {
    long most = 0;
    for (LoopAccounts loop : loops) {
      if (loop != than) {
        most = Math.max(most, loop.heaviest());
      }
    }
    return most;
  }

  void onEnded(PeerSide side, Ended what) {
    ended.incrementAndGet(place(side, what));
  }

  /** How many of {@code what} were ended on {@code side} since the start. */
  public long ended(PeerSide side, Ended what) {
    return ended.get(place(side, what));
  }

  @SuppressWarnings("EnumOrdinal") // places among counters of this process
  private static int place(PeerSide side, Ended what) {
    return side.ordinal() * Ended.values().length + what.ordinal();
  }

  /**
   * What is held now.
   *
   * @param max how many of the heaviest connections
   */
  public CompletionStage<MemoryView> view(int max) {
    List<CompletableFuture<List<MemoryView.Holder>>> answers = new ArrayList<>();
    for (LoopAccounts loop : loops) {
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
                        .sorted(
                            Comparator.comparingLong(
                                    (MemoryView.Holder h) -> h.heapBytes() + h.directBytes())
                                .reversed())
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
      for (Ended what : Ended.values()) {
        counts.add(new MemoryView.EndedCount(side, what, ended(side, what)));
      }
    }
    return new MemoryView(heapBytes(), directBytes(), limits, counts, heaviest);
  }
}
