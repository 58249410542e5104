package io.outrigger.proxy.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.FakeControlLoop;
import org.junit.jupiter.api.Test;

final class HeapGrowthTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private long heapBytes = 20;
  private long afterwards = 20;
  private int collections;

  private void start() {
    var growth = new HeapGrowth(loop, () -> heapBytes, this::collect);
    loop.execute(growth::start);
    loop.run();
  }

  private void collect() {
    collections++;
    heapBytes = afterwards;
  }

  private void passAPeriod() {
    loop.advance(HeapGrowth.PERIOD);
  }

  @Test
  void aHeapThatStaysIsLeftAlone() {
    start();

    passAPeriod();
    heapBytes = 18;
    passAPeriod();
    passAPeriod();

    assertThat(collections).isZero();
  }

  @Test
  void aHeapThatGrewIsCollectedOnce() {
    start();

    heapBytes = 21;
    passAPeriod();
    passAPeriod();

    assertThat(collections).isOne();
  }

  @Test
  void whatACollectionLeavesIsTheNewMeasure() {
    start();
    afterwards = 30;

    heapBytes = 40;
    passAPeriod();
    heapBytes = 30;
    passAPeriod();
    assertThat(collections).as("what lives has its place").isOne();

    heapBytes = 31;
    passAPeriod();
    assertThat(collections).isEqualTo(2);
  }
}
