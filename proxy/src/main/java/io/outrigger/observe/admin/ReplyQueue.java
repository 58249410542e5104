package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Creates large replies one at a time, in the order of their requests. Concurrent replies would
 * keep the garbage collector busy and so delay every event loop. The queue has no lock: a task of
 * the queue starts when the previous task completes.
 */
@AnyThread
public final class ReplyQueue {
  /** The time after which the next reply is created, even if the current reply is not complete. */
  static final Duration MAX_DURATION = Duration.ofSeconds(10);

  private final AtomicReference<CompletableFuture<Void>> last =
      new AtomicReference<>(CompletableFuture.completedFuture(null));

  /**
   * Creates a reply after all replies that were submitted earlier have been created.
   *
   * @param executor calls {@code isWanted} and {@code work}, but not within this method
   * @param isWanted called before {@code work}; returns whether the client still waits
   * @param work a task that starts the creation of the reply
   * @return the result or failure of {@code work}; cancelled if {@code isWanted} returned false
   */
  public <T> CompletionStage<T> submit(
      Executor executor, BooleanSupplier isWanted, Supplier<CompletionStage<T>> work) {
    var done = new CompletableFuture<Void>();
    CompletableFuture<Void> before = last.getAndSet(done);
    CompletableFuture<T> answer =
        before.thenComposeAsync(
            previous -> {
              if (!isWanted.getAsBoolean()) {
                return CompletableFuture.failedStage(new CancellationException());
              }
              done.completeOnTimeout(null, MAX_DURATION.toMillis(), TimeUnit.MILLISECONDS);
              return work.get();
            },
            executor);
    var unused = answer.whenComplete((made, failure) -> done.complete(null));
    return answer;
  }
}
