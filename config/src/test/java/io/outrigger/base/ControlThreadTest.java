package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ControlThreadTest {
  @Test
  void aTaskThatEndsWithAnErrorIsCountedAndTheLoopGoesOn() {
    try (var control = new ControlThread("test")) {
      var after = new CompletableFuture<Long>();

      control.execute(
          () -> {
            throw new StackOverflowError("in a test");
          });
      control.execute(() -> after.complete(control.failures()));

      assertThat(after.join()).isEqualTo(1);
    }
  }

  @Test
  void lackOfMemoryIsLeftToTheHandlerOfUncaughtFailures() {
    try (var control = new ControlThread("test")) {
      var uncaught = new CompletableFuture<Throwable>();
      var failure = new IllegalStateException("half done", new OutOfMemoryError("in a test"));

      control.execute(
          () -> {
            Thread.currentThread()
                .setUncaughtExceptionHandler((thread, error) -> uncaught.complete(error));
            throw failure;
          });

      assertThat(uncaught.join()).isSameAs(failure);
    }
  }
}
