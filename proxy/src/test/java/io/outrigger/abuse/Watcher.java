package io.outrigger.abuse;

import io.outrigger.base.WaitingClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Looks all the while at what a process takes: its memory often, its metrics now and then. */
final class Watcher implements AutoCloseable {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
  private static final Duration BETWEEN_METRICS = Duration.ofMillis(250);

  /** After this time a Kubernetes probe fails, as docker/kubernetes has it. */
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(3);

  private final AtomicReference<Usage> most = new AtomicReference<>(Usage.NONE);
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path status;
  private final Path tasks;

  /** How long the loop that has waited most has waited for a processor, at one moment. */
  private record Wait(long atNanos, long sumNanos) {}

  private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();
  private final URI metrics;
  private final List<Thread> threads;
  private final AtomicInteger begun = new AtomicInteger();
  private volatile int answered;
  private volatile boolean stopped;

  Watcher(long pid, String admin) {
    status = Path.of("/proc/" + pid + "/status");
    tasks = Path.of("/proc/" + pid + "/task");
    metrics = URI.create("http://" + admin + "/metrics");
    threads = List.of(new Thread(this::lookOften, "memory"), new Thread(this::askOften, "metrics"));
    threads.forEach(Thread::start);
  }

  /**
   * Waits until the admin server has answered a request that began after this call, so that what it
   * is busy with is seen.
   *
   * @param patience for how long at most
   */
  void awaitAnswer(Duration patience) {
    int seen = begun.get();
    long start = WaitingClock.nanoTime();
    while (answered <= seen && WaitingClock.nanoTime() - start < patience.toNanos()) {
      WaitingClock.sleep(BETWEEN_LOOKS);
    }
  }

  /**
   * For how long at most an event loop could have run in a stretch of time of this length since the
   * last {@link #take}, but other threads had the processors.
   */
  Duration waitOfLoops(Duration stretch) {
    long most = 0;
    List<Wait> all = List.copyOf(waits);
    for (Wait from : all) {
      for (Wait to : all) {
        long nanos = to.atNanos - from.atNanos;
        if (nanos > 0 && nanos <= stretch.toNanos()) {
          most = Math.max(most, Math.min(nanos, to.sumNanos - from.sumNanos));
        }
      }
    }
    return Duration.ofNanos(most);
  }

  private long waitOfLoops() {
    try (Stream<Path> threads = Files.list(tasks)) {
      return threads.mapToLong(Watcher::waitOfLoop).max().orElse(0);
    } catch (IOException | UncheckedIOException e) {
      return 0; // it has ended
    }
  }

  private static long waitOfLoop(Path task) {
    try {
      return Files.readString(task.resolve("comm")).startsWith("loop-")
          ? Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ", -1)[1])
          : 0;
    } catch (IOException e) {
      return 0; // the thread has ended, or the kernel keeps no such figures
    }
  }

  /** The most since the last call. */
  Usage take() {
    waits.clear();
    return most.getAndSet(Usage.NONE);
  }

  private void lookOften() {
    while (!stopped) {
      look();
      WaitingClock.sleep(BETWEEN_LOOKS);
    }
  }

  private void look() {
    long wait = waitOfLoops();
    if (wait > 0) {
      waits.add(new Wait(WaitingClock.nanoTime(), wait));
    }
    double rss = 0;
    double files = 0;
    try {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith("VmRSS:")) {
          rss = mib(line);
        } else if (line.startsWith("RssFile:")) {
          files = mib(line);
        }
      }
    } catch (IOException e) {
      return; // it has ended
    }
    double all = rss;
    double pinned = rss - files;
    most.updateAndGet(usage -> usage.resident(all, pinned));
  }

  private static double mib(String line) {
    return Double.parseDouble(line.replaceAll("[^0-9]", "")) / 1024;
  }

  private void askOften() {
    while (!stopped) {
      ask();
      WaitingClock.sleep(BETWEEN_METRICS);
    }
  }

  private void ask() {
    int number = begun.incrementAndGet();
    var request = HttpRequest.newBuilder(metrics).timeout(PROBE_TIMEOUT).GET().build();
    try {
      String text = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
      double heap = value(text, "outrigger_memory_held_bytes{kind=\"heap\"}");
      double direct = value(text, "outrigger_memory_held_bytes{kind=\"direct\"}");
      double buffers = value(text, "jvm_memory_used_bytes{area=\"direct\"}");
      most.updateAndGet(
          usage -> usage.held(heap / (1 << 20), direct / (1 << 20), buffers / (1 << 20)));
      answered = number;
    } catch (IOException e) {
      most.updateAndGet(Usage::silent);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The value of one series; NaN when it is not there. */
  static double value(String metrics, String series) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(Double.NaN);
  }

  @Override
  public void close() {
    stopped = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
