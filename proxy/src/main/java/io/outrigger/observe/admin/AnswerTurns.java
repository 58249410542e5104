package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Makes large answers one at a time, in the order in which they were asked for: made side by side,
 * they would keep the collector busy, and with it every event loop. A queue without a lock: each
 * turn begins when the one before it is over.
 */
@AnyThread
public final class AnswerTurns {
  /** The next turn begins after this, though an answer may still be in the making. */
  static final Duration MAX_TURN = Duration.ofSeconds(10);

  private final AtomicReference<CompletableFuture<Void>> last =
      new AtomicReference<>(CompletableFuture.completedFuture(null));

  /** Why there is no answer: nobody wants it any more. */
  public static final class Unwanted extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Unwanted() {
      super("nobody wants this answer any more", null, false, false);
    }
  }

  /**
   * Makes an answer when it is its turn.
   *
   * @param executor runs {@code isWanted} and {@code work}; must run neither within this call
   * @param isWanted asked at the beginning of the turn
   * @param work begins to make the answer
   * @return what {@code work} returns, or fails with; {@link Unwanted} when it was not asked to
   */
  public <T> CompletionStage<T> ask(
      Executor executor, BooleanSupplier isWanted, Supplier<CompletionStage<T>> work) {
    var over = new CompletableFuture<Void>();
    CompletableFuture<Void> before = last.getAndSet(over);
    CompletableFuture<T> answer =
        before.thenComposeAsync(
            turn -> {
              if (!isWanted.getAsBoolean()) {
                return CompletableFuture.failedStage(new Unwanted());
              }
              over.completeOnTimeout(null, MAX_TURN.toMillis(), TimeUnit.MILLISECONDS);
              return work.get();
            },
            executor);
    var unused = answer.whenComplete((made, failure) -> over.complete(null));
    return answer;
  }
}
