package io.outrigger.endtoend;

import io.outrigger.base.WaitingClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Many calls, {@value #OPEN} at any time, and how many of them failed with which reason. */
final class CountedCalls {
  private static final int OPEN = 100;
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** Every second request has this for a body: more than one frame holds that goes with others. */
  private static final String BODY = "x".repeat(6_000);

  private final int calls;
  private final Duration least;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final long start = WaitingClock.nanoTime();
  private final Map<String, Long> failures = new TreeMap<>();
  private int made;
  private Duration time = Duration.ZERO;

  private CountedCalls(int calls, Duration least) {
    this.calls = calls;
    this.least = least;
  }

  /**
   * Calls until there were {@code calls} and {@code least} is over.
   *
   * @param apps that call, in turn
   */
  static CountedCalls make(int calls, Duration least, List<App> apps) {
    var run = new CountedCalls(calls, least);
    List<CompletableFuture<Void>> turns = new ArrayList<>();
    for (int i = 0; i < OPEN; i++) {
      turns.add(run.turn(apps.get(i % apps.size())));
    }
    turns.forEach(CompletableFuture::join);
    run.time = run.soFar();
    run.thread.shutdown();
    return run;
  }

  int made() {
    return made;
  }

  long failed() {
    return failures.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How long they took together. */
  String seconds() {
    return "%.1f".formatted(time.toMillis() / 1e3);
  }

  /** By code and message. */
  void printFailures() {
    failures.forEach((text, count) -> System.out.printf("    %d × %s%n", count, text));
  }

  private Duration soFar() {
    return Duration.ofNanos(WaitingClock.nanoTime() - start);
  }

  /** One call after the other; the result comes when there is none left to make. */
  private CompletableFuture<Void> turn(App app) {
    var done = new CompletableFuture<Void>();
    thread.execute(() -> next(app, done));
    return done;
  }

  /** Counts on one thread. */
  private void next(App app, CompletableFuture<Void> done) {
    if (made >= calls && soFar().compareTo(least) >= 0) {
      done.complete(null);
      return;
    }
    String body = ++made % 2 == 0 ? BODY : "";
    var unused =
        app.sendText(InteropMain.PATH, DEADLINE, body)
            .thenAcceptAsync(
                reply -> {
                  if (!reply.status().isOk()) {
                    failures.merge(reply.code() + ": " + reply.message(), 1L, Long::sum);
                  }
                  next(app, done);
                },
                thread);
  }
}
