package io.outrigger.dataplane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
  private final OutOfMemory policy = new OutOfMemory(ends::add);

  private void report(int times, Throwable failure) {
    for (int i = 0; i < times; i++) {
      assertThat(policy.report(failure)).isTrue();
    }
  }

  @Test
  void whatIsNoLackOfMemoryIsNoneOfIts() {
    assertThat(policy.report(new StackOverflowError())).isFalse();
    assertThat(policy.report(new IOException("reset"))).isFalse();
    assertThat(ends).isEmpty();
  }

  /** Only HeapWatch knows whether the heap stays full. */
  @Test
  void errorsOnLoopsEndTheHeaviestConnectionAndNeverTheProcess() {
    var ended = new AtomicInteger();
    policy.relieveBy(() -> ended.incrementAndGet() <= 1_000);

    report(1_000, heap);
    report(1_000, new CompletionException(heap));

    assertThat(ended).hasValue(2_000);
    assertThat(ends).isEmpty();
  }

  @Test
  void buffersBeyondNettysLimitEndNothing() {
    policy.relieveBy(() -> ends.add("connection"));
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
