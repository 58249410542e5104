package io.outrigger.observe.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LoopLagTest {
  private final AtomicLong clock = new AtomicLong(1_000);
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private final LoopLag lag = new LoopLag(List.of(waiting::add, Runnable::run), clock::get);

  @Test
  void aScrapeTellsHowLongTheTasksOfTheOneBeforeWaited() {
    assertThat(lag.measure()).containsExactly(0L, 0L);
    clock.addAndGet(300);
    waiting.remove().run();
    clock.addAndGet(50_000);

    assertThat(lag.measure()).containsExactly(300L, 0L);
    assertThat(waiting).hasSize(1);
  }

  @Test
  void aLoopThatHangsIsAskedOnceAndItsLagGrows() {
    lag.measure();
    clock.addAndGet(1_000);
    assertThat(lag.measure()).containsExactly(1_000L, 0L);
    clock.addAndGet(1_000);

    assertThat(lag.measure()).containsExactly(2_000L, 0L);
    assertThat(waiting).hasSize(1);
    waiting.remove().run();
    assertThat(lag.measure()).containsExactly(2_000L, 0L);
  }
}
