package io.outrigger.endtoend;

import io.outrigger.base.WaitingClock;
import io.outrigger.testing.Await;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Steady calls from a thread of its own, at a rate that does not wait for answers as long as no
 * more than {@value #MAX_OPEN} are open: a machine that is too slow for the rate gets fewer.
 */
final class Load implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(2);
  private static final int MAX_OPEN = 100;

  private final App app;
  private final String path;
  private final double perNano;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong succeeded = new AtomicLong();
  private final AtomicInteger open = new AtomicInteger();
  private final Map<String, AtomicLong> byBackend = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> byFailure = new ConcurrentSkipListMap<>();
  private final Thread thread = new Thread(this::run, "load");
  private volatile boolean stopped;

  Load(App app, String path, int perSecond) {
    this.app = app;
    this.path = path;
    perNano = perSecond / 1e9;
    thread.start();
  }

  long sent() {
    return sent.get();
  }

  long succeeded() {
    return succeeded.get();
  }

  /** Failures so far, by text. */
  Map<String, AtomicLong> failures() {
    return byFailure;
  }

  long failed() {
    return byFailure.values().stream().mapToLong(AtomicLong::get).sum();
  }

  long by(String backend) {
    AtomicLong count = byBackend.get(backend);
    return count == null ? 0 : count.get();
  }

  /** Waits until {@code backend} has answered {@code more} calls from now on. */
  void awaitMore(String backend, long more) {
    long before = by(backend);
    Await.until(
        backend + " answers",
        () -> byBackend + " " + byFailure,
        () -> by(backend) >= before + more);
  }

  private void run() {
    long start = WaitingClock.nanoTime();
    while (!stopped) {
      long due = (long) ((WaitingClock.nanoTime() - start) * perNano);
      while (sent.get() < due && open.get() < MAX_OPEN && !stopped) {
        sent.incrementAndGet();
        open.incrementAndGet();
        app.send(path)
            .thenAccept(
                reply -> {
                  if (reply.status().isOk()) {
                    count(byBackend, reply.backend());
                    succeeded.incrementAndGet();
                  } else {
                    count(byFailure, reply.code() + ": " + reply.message());
                  }
                  open.decrementAndGet();
                });
      }
      WaitingClock.sleep(TICK);
    }
  }

  private static void count(Map<String, AtomicLong> counts, String key) {
    counts.computeIfAbsent(key, k -> new AtomicLong()).incrementAndGet();
  }

  /** Stops sending and waits for what is under way. */
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(Await.PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Await.until("every call ends", () -> open + " are open", () -> open.get() == 0);
  }
}
