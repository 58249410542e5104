package io.outrigger.program.demo;

import io.outrigger.base.AnyThread;
import io.outrigger.base.WaitingClock;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The demo's app: calls the sidecar's local port, one call at a time, on a thread of its own. */
@AnyThread
final class DemoLoad implements AutoCloseable {
  private static final Duration BETWEEN_CALLS = Duration.ofMillis(20);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final DemoClient client;
  private final Thread thread = new Thread(this::run, "demo-load");
  private final AtomicLong succeeded = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final Map<String, Long> byBackend = new ConcurrentHashMap<>();
  private final Map<String, Long> byFailure = new ConcurrentHashMap<>();
  private volatile boolean closed;

  DemoLoad(int port) {
    client = DemoClient.ofForward(port);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (!closed) {
      DemoClient.Reply reply = client.call();
      if (reply.status().isOk()) {
        succeeded.incrementAndGet();
        byBackend.merge(reply.backend(), 1L, Long::sum);
      } else {
        failed.incrementAndGet();
        byFailure.merge(
            reply.status().getCode() + ": " + reply.status().getDescription(), 1L, Long::sum);
      }
      WaitingClock.sleep(BETWEEN_CALLS);
    }
  }

  long succeeded() {
    return succeeded.get();
  }

  long failed() {
    return failed.get();
  }

  /** Returns the number of replies per backend since the last call of this method. */
  Map<String, Long> takeByBackend() {
    return take(byBackend);
  }

  /** Returns the number of failures per status text since the last call of this method. */
  Map<String, Long> takeByFailure() {
    return take(byFailure);
  }

  /** Stops sending, and waits for the call in flight. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(CLOSE_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }

  private static Map<String, Long> take(Map<String, Long> counts) {
    Map<String, Long> taken = new TreeMap<>();
    counts.keySet().forEach(key -> taken.put(key, counts.remove(key)));
    return taken;
  }
}
