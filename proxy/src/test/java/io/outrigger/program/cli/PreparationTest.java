package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class PreparationTest {
  private final Queue<String> done = new ConcurrentLinkedQueue<>();

  @Test
  void whoeverWaitsForItDoesWhatHasNotBegunLastPartFirst() throws Exception {
    var begun = new CountDownLatch(1);
    var helped = new CountDownLatch(1);
    Preparation preparation =
        Preparation.begin(
            List.of(
                Preparation.part(
                    () -> {
                      begun.countDown();
                      await(helped);
                      did("first");
                    }),
                Preparation.part(
                    () -> {
                      did("second");
                      helped.countDown();
                    }),
                Preparation.part(() -> did("third"))));
    await(begun); // so the thread is in the first part, and leaves it only when the second is done

    preparation.finish();

    assertThat(done).containsExactly("third", "second", "first");
  }

  @Test
  void partsThatFailAreLeftToTheStart() throws Exception {
    Preparation preparation =
        Preparation.begin(
            List.of(
                Preparation.part(
                    () -> {
                      throw new NoClassDefFoundError("native");
                    }),
                new FutureTask<>(() -> did("last"), null)));

    preparation.finish();

    assertThat(done).containsExactly("last");
  }

  private void did(String part) {
    done.add(part);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
