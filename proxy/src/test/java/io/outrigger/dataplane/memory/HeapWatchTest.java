package io.outrigger.dataplane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.testing.Pressure;
import io.outrigger.testing.FakeControlLoop;
import org.junit.jupiter.api.Test;

final class HeapWatchTest {
  private static final long MIB = 1 << 20;

  /** A heap of at most 107 MiB: 100 without the young generation, and full beyond 97. */
  private static final class FakeHeap implements HeapWatch.Heap {
    long total = 20 * MIB;
    long used = 10 * MIB;
    long totalAfterwards = 20 * MIB;
    long usedAfterwards = 10 * MIB;
    int collections;
    int ofTheJvm;

    @Override
    public long totalBytes() {
      return total;
    }

    @Override
    public long usedBytes() {
      return used;
    }

    @Override
    public long maxBytes() {
      return 107 * MIB;
    }

    @Override
    public long fullCollections() {
      return (long) collections + ofTheJvm;
    }

    @Override
    public void collect() {
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
    var watch = new HeapWatch(loop, heap, collectGrown, memory.gauge, () -> ends++);
    loop.execute(watch::begin);
    loop.run();
  }

  private void passAPeriod() {
    loop.advance(HeapWatch.PERIOD);
  }

  private void fill(long mib) {
    heap.total = 107 * MIB;
    heap.used = mib * MIB;
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

  /** As under an attack: there is no room, and the JVM collects again and again. */
  @Test
  void aHeapThatTheJvmHasCollectedMeanwhileIsNotCollectedAgain() {
    start(true);

    for (int i = 1; i <= 3; i++) {
      heap.total += MIB;
      heap.ofTheJvm++;
      passAPeriod();
    }
    assertThat(heap.collections).isZero();

    heap.total += MIB;
    passAPeriod();
    assertThat(heap.collections).isOne();

    heap.total += MIB;
    passAPeriod();
    assertThat(heap.collections).as("its own does not count").isEqualTo(2);
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
  void aFullHeapIsCollectedWhoeverHoldsIt() {
    start(true);

    memory.hold(60);
    fill(106);
    passAPeriod();
    passAPeriod();

    assertThat(heap.collections).isOne();
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
  void aHeapFullOfGarbageIsCollectedAtTheSecondLook() {
    start(false);

    for (int i = 0; i < 100; i++) {
      fill(106);
      passAPeriod();
    }

    assertThat(heap.collections).isEqualTo(50);
    assertThat(ends).isZero();
  }

  /** As under an attack: it fills, the JVM collects it, it fills again. */
  @Test
  void aHeapThatTheJvmEmptiesInBetweenIsLeftToIt() {
    start(false);

    for (int i = 0; i < 100; i++) {
      fill(106);
      passAPeriod();
      heap.used = 60 * MIB;
      passAPeriod();
    }

    assertThat(heap.collections).isZero();
  }

  @Test
  void aHeapThatStaysFullForTenSecondsEndsTheProcess() {
    start(false);
    heap.usedAfterwards = 98 * MIB;
    heap.totalAfterwards = 107 * MIB;

    fill(106);
    passAPeriod();
    passAPeriod();
    passAPeriod();
    assertThat(ends).isZero();

    passAPeriod();
    assertThat(ends).isOne();
  }

  @Test
  void aHeapThatHadRoomAtOneLookCountsAnew() {
    start(false);
    heap.usedAfterwards = 98 * MIB;
    heap.totalAfterwards = 107 * MIB;
    fill(106);
    passAPeriod();
    passAPeriod();
    passAPeriod();

    heap.usedAfterwards = 96 * MIB;
    fill(106);
    passAPeriod();
    heap.usedAfterwards = 98 * MIB;
    fill(106);
    passAPeriod();
    passAPeriod();
    passAPeriod();

    assertThat(ends).isZero();
  }
}
