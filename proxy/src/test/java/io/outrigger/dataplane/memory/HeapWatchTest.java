package io.outrigger.dataplane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.testing.Pressure;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class HeapWatchTest {
  private static final long MIB = 1 << 20;

  /** A heap of at most 104 MiB: 100 without the young generation, and full beyond 97. */
  private static final class FakeHeap {
    long total = 20 * MIB;
    long used = 10 * MIB;
    long totalAfterwards = 20 * MIB;
    long usedAfterwards = 10 * MIB;
    int collections;

    void collect() {
      collections++;
      total = totalAfterwards;
      used = usedAfterwards;
    }
  }

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeHeap heap = new FakeHeap();
  private final Pressure memory = new Pressure();
  private int ends;

  private void start(boolean collectGrown) {
    start(collectGrown, memory.gauge);
  }

  private void start(boolean collectGrown, MemoryGauge gauge) {
    var sizes = new HeapWatch.Heap(() -> heap.total, () -> heap.used, 104 * MIB, heap::collect);
    var watch = new HeapWatch(loop, sizes, collectGrown, gauge, () -> ends++);
    loop.execute(watch::begin);
    loop.run();
  }

  /** Starts a watch whose first collection finds that peers hold 25 MiB of at most 40. */
  private MemoryGauge startWithShortHeap() {
    var limits = new MemoryGauge.Limits(40 * MIB, 80 * MIB, 120 * MIB);
    var gauge = new MemoryGauge(limits, () -> heap.used, () -> 0, () -> 0, 40 * MIB);
    start(false, gauge);
    heap.used = 55 * MIB;
    heap.usedAfterwards = 35 * MIB;
    loop.advance(HeapWatch.CALM);
    assertThat(heap.collections).isOne();
    assertThat(gauge.isShort()).isTrue();
    return gauge;
  }

  private void passAPeriod() {
    loop.advance(HeapWatch.PERIOD);
  }

  private void fill(long mib) {
    heap.total = 104 * MIB;
    heap.used = mib * MIB;
  }

  /** 10,000 idle connections in 256 MiB, beside calls that fill the young generation. */
  @Test
  void garbageOfOneYoungGenerationCausesNoCollection() {
    startWithShortHeap();
    heap.used = 48 * MIB;
    heap.usedAfterwards = 41 * MIB;
    loop.advance(Duration.ofSeconds(1));
    assertThat(heap.collections)
        .as("peers hold at most 38 MiB, 13 more than measured")
        .isEqualTo(2);

    heap.used = 45 * MIB; // at most 35 MiB of peers, of whose 40 MiB 31 are live
    loop.advance(Duration.ofSeconds(4));
    assertThat(heap.collections).isEqualTo(2);

    heap.used = 51 * MIB;
    loop.advance(Duration.ofMillis(100));
    assertThat(heap.collections).as("peers may hold more than their limit").isEqualTo(3);
  }

  @Test
  void aHeapThatStaysIsLeftAlone() {
    start(true);

    passAPeriod();
    heap.total = 18 * MIB;
    passAPeriod();
    passAPeriod();

    assertThat(heap.collections).isZero();
  }

  @Test
  void aHeapThatGrewIsCollectedOnce() {
    start(true);

    heap.total = 21 * MIB;
    passAPeriod();
    passAPeriod();

    assertThat(heap.collections).isOne();
  }

  @Test
  void whatACollectionLeavesIsTheNewMeasure() {
    start(true);
    heap.totalAfterwards = 30 * MIB;

    heap.total = 40 * MIB;
    passAPeriod();
    heap.total = 30 * MIB;
    passAPeriod();
    assertThat(heap.collections).as("what lives has its place").isOne();

    heap.total = 31 * MIB;
    passAPeriod();
    assertThat(heap.collections).isEqualTo(2);
  }

  /** What has grown lives then, and a collection would stop calls for nothing. */
  @Test
  void whilePeersHoldMuchAHeapThatGrewWaits() {
    start(true);

    memory.hold(60);
    heap.total = 40 * MIB;
    passAPeriod();
    passAPeriod();
    assertThat(heap.collections).isZero();

    memory.hold(0);
    passAPeriod();
    assertThat(heap.collections).as("what it has left behind").isOne();
  }

  @Test
  void whereTheJvmCollectsWhatHasGrownItIsLeftToIt() {
    start(false);

    heap.total = 90 * MIB;
    heap.used = 96 * MIB;
    passAPeriod();

    assertThat(heap.collections).isZero();
  }

  @Test
  void aFullHeapIsCollectedAtTheNextLookWhoeverHoldsIt() {
    start(true);
    memory.hold(60);

    for (int i = 1; i <= 100; i++) {
      fill(103);
      loop.advance(HeapWatch.CALM);
      assertThat(heap.collections).isEqualTo(i);
    }

    assertThat(ends).isZero();
  }

  /** Peers may have released what a collection found, and garbage hides this. */
  @Test
  void memoryDoesNotStayShortForBytesThatPeersHaveReleased() {
    MemoryGauge gauge = startWithShortHeap();

    heap.usedAfterwards = 12 * MIB;
    passAPeriod();
    assertThat(heap.collections).isEqualTo(2);
    assertThat(gauge.isShort()).isFalse();

    passAPeriod();
    passAPeriod();
    assertThat(heap.collections).as("collections of a heap that is not short").isEqualTo(2);
  }

  /** A large configuration stays live, and each collection stops all calls. */
  @Test
  void aHeapThatStaysShortIsCollectedMoreAndMoreSeldom() {
    MemoryGauge gauge = startWithShortHeap();

    loop.advance(Duration.ofMinutes(10));

    assertThat(heap.collections).isBetween(18, 25);
    assertThat(gauge.isShort()).isTrue();
  }

  /** A collection stops all threads, so that collections take at most a fifth of the time. */
  @Test
  void afterACollectionItRests() {
    start(false);
    heap.usedAfterwards = 98 * MIB;
    fill(103);
    loop.costOfReading(Duration.ofMillis(500));
    loop.advance(HeapWatch.CALM);
    assertThat(heap.collections).isOne(); // from second 1 to 1.5, so the next one is in 3.5

    loop.advance(Duration.ofSeconds(1));
    assertThat(heap.collections).isOne();
    loop.advance(Duration.ofSeconds(1));
    assertThat(heap.collections).isEqualTo(2);
  }

  @Test
  void aHeapThatStaysFullForTenSecondsEndsTheProcess() {
    start(false);
    heap.usedAfterwards = 98 * MIB;
    heap.totalAfterwards = 104 * MIB;

    fill(103);
    loop.advance(HeapWatch.FULL_LIMIT.minus(HeapWatch.CALM));
    assertThat(heap.collections).isPositive();
    assertThat(ends).isZero();

    loop.advance(HeapWatch.CALM);
    assertThat(ends).isOne();
  }

  @Test
  void aHeapThatHadRoomAtOneLookCountsAnew() {
    start(false);
    heap.usedAfterwards = 98 * MIB;
    fill(103);
    loop.advance(Duration.ofSeconds(9));

    heap.usedAfterwards = 96 * MIB;
    loop.advance(HeapWatch.CALM);
    heap.usedAfterwards = 98 * MIB;
    fill(103);
    loop.advance(Duration.ofSeconds(9));

    assertThat(ends).isZero();
  }
}
