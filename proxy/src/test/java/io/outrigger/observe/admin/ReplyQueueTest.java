package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ReplyQueueTest {
  private final ReplyQueue queue = new ReplyQueue();
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<String> begun = new ArrayList<>();

  private CompletableFuture<String> ask(
      String name, boolean isWanted, CompletionStage<String> made) {
    return queue
        .submit(
            tasks::add,
            () -> isWanted,
            () -> {
              begun.add(name);
              return made;
            })
        .toCompletableFuture();
  }

  private void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  @Test
  void theNextBeginsWhenTheOneBeforeIsMade() {
    var first = new CompletableFuture<String>();
    CompletableFuture<String> one = ask("one", true, first);
    CompletableFuture<String> two = ask("two", true, CompletableFuture.completedStage("2"));
    assertThat(begun).isEmpty();

    run();
    assertThat(begun).containsExactly("one");
    first.complete("1");
    run();

    assertThat(begun).containsExactly("one", "two");
    assertThat(one).isCompletedWithValue("1");
    assertThat(two).isCompletedWithValue("2");
  }

  @Test
  void aFailureIsTheEndOfATurnToo() {
    CompletableFuture<String> failed =
        ask("one", true, CompletableFuture.failedStage(new IllegalStateException("no")));
    CompletableFuture<String> thrown =
        queue
            .<String>submit(
                tasks::add,
                () -> true,
                () -> {
                  throw new IllegalArgumentException("neither");
                })
            .toCompletableFuture();
    CompletableFuture<String> next = ask("two", true, CompletableFuture.completedStage("2"));

    run();

    assertThat(failed).isCompletedExceptionally();
    assertThat(thrown).isCompletedExceptionally();
    assertThat(next).isCompletedWithValue("2");
  }

  @Test
  void anAnswerThatNobodyWantsAnyMoreIsNotMade() {
    CompletableFuture<String> gone = ask("one", false, CompletableFuture.completedStage("1"));
    CompletableFuture<String> next = ask("two", true, CompletableFuture.completedStage("2"));

    run();

    assertThat(begun).containsExactly("two");
    assertThat(gone).isCompletedExceptionally();
    assertThat(next).isCompletedWithValue("2");
  }
}
