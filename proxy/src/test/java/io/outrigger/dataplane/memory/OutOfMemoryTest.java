package io.outrigger.dataplane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class OutOfMemoryTest {
  private final Throwable heap = new OutOfMemoryError("Java heap space");

  /** As Netty's, which is no other than this to a package that does not know Netty. */
  private static final class OutOfBuffers extends OutOfMemoryError {
    private static final long serialVersionUID = 1L;
  }

  private final List<String> ends = new ArrayList<>();
  private long nanos = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos(); // the clock may overflow
  private final OutOfMemory policy = new OutOfMemory(() -> nanos, ends::add);

  private void report(int times, Throwable failure) {
    for (int i = 0; i < times; i++) {
      assertThat(policy.report(failure)).isTrue();
    }
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void whatIsNoLackOfMemoryIsNoneOfIts() {
    assertThat(policy.report(new StackOverflowError())).isFalse();
    assertThat(policy.report(new IOException("reset"))).isFalse();
    assertThat(ends).isEmpty();
  }

  @Test
  void aFewErrorsOnLoopsEndOnlyTheirCauses() {
    report(20, heap);
    pass(Duration.ofSeconds(11));
    report(20, new CompletionException(heap));

    assertThat(ends).isEmpty();
  }

  @Test
  void theTwentyFirstWithinTenSecondsEndsTheProcess() {
    report(10, heap);
    pass(Duration.ofSeconds(9));
    report(10, heap);
    assertThat(ends).isEmpty();

    report(1, heap);

    assertThat(ends).containsExactly("on event loops, more than 20 times in 10 s");
  }

  @Test
  void whileThereIsAConnectionToEndTheProcessGoesOn() {
    var connections = new AtomicInteger(1_000);
    policy.relieveBy(() -> connections.getAndDecrement() > 0);

    report(1_000, heap);
    assertThat(ends).isEmpty();
    report(1, heap);
    assertThat(ends).hasSize(1);
  }

  @Test
  void theWindowMoves() {
    for (int second = 0; second < 600; second++) {
      report(2, heap); // 20 in each 10 s, but for the instant that both ends of it belong to
      pass(Duration.ofMillis(1001));
    }

    assertThat(ends).isEmpty();
  }

  @Test
  void buffersBeyondNettysLimitNeverEndIt() {
    report(10_000, new OutOfBuffers());
    report(10_000, new CompletionException(new OutOfBuffers()));

    assertThat(ends).isEmpty();
  }

  @Test
  void theEndOfAThreadIsTheEndOfTheProcess() {
    Thread thread = new Thread(() -> {}, "grpc-default-executor-0");

    policy.uncaughtException(thread, new IllegalStateException("a bug"));
    assertThat(ends).isEmpty();

    policy.uncaughtException(thread, new IllegalStateException("panic", heap));
    assertThat(ends).containsExactly("on thread grpc-default-executor-0, which cannot go on");
  }

  @Test
  void causesThatGoInCirclesEnd() {
    var one = new IllegalStateException("one");
    one.initCause(new IllegalStateException("two", one));

    assertThat(policy.report(one)).isFalse();
  }
}
