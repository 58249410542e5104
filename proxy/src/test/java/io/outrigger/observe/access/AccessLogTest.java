package io.outrigger.observe.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.calls.CallObserver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class AccessLogTest {
  @TempDir private Path folder;

  @Test
  void whatWasAddedBeforeTheEndIsWritten() throws IOException {
    Path file = folder.resolve("access.log");
    Files.writeString(file, "{\"earlier\":true}\n");
    int calls = 2_000; // many batches, and soon written on a slow machine

    try (AccessLog log = AccessLog.toFile(file)) {
      CallObserver observer = log.of("orders", false);
      for (int i = 0; i < calls; i++) {
        observer.onEnded(Calls.known("/" + i));
      }
    }

    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(calls + 1);
    assertThat(lines.get(0)).isEqualTo("{\"earlier\":true}");
    assertThat(lines.get(1)).contains("\"path\":\"/0\"");
    assertThat(lines.get(calls)).contains("\"path\":\"/" + (calls - 1) + "\"");
  }

  @Test
  void aFullQueueTakesNoMoreAndCountsTheLoss() {
    var out = new ByteArrayOutputStream();
    var writer = new LogWriter("access log memory", out, 3); // not started yet
    var log = new AccessLog(writer, () -> {}, Clock.systemUTC());
    CallObserver observer = log.of("orders", false);

    List<Integer> losses = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      losses.add(losses(observer, Calls.known("/" + i)));
    }
    assertThat(losses).containsExactly(0, 0, 0, 1, 1);

    writer.start();
    log.close();
    assertThat(out.toString(StandardCharsets.US_ASCII).lines()).hasSize(3);
  }

  /** Otherwise a reader of the log that stands still would fill the heap with long paths. */
  @Test
  void longTextsTakeMoreOfTheQueue() {
    var out = new ByteArrayOutputStream();
    var writer = new LogWriter("access log memory", out, 1000);
    var log = new AccessLog(writer, () -> {}, Clock.systemUTC());
    CallObserver observer = log.of("orders", false);
    int lost = 0;
    for (int i = 0; i < 100; i++) {
      lost += losses(observer, Calls.known("/" + "p".repeat(60_000)));
      lost += losses(observer, Calls.ofMethod("M".repeat(60_000)));
    }
    assertThat(lost).isEqualTo(198);
    assertThat(losses(observer, Calls.known("/short"))).isZero();

    writer.start();
    log.close();
    assertThat(out.toString(StandardCharsets.US_ASCII).lines()).hasSize(3);
  }

  @Test
  void aWriteThatFailsLosesItsLinesAndNothingElseAndCountsThem() {
    var failing = new FailingFirst();
    var writer = new LogWriter("access log memory", failing, 10);
    var log = new AccessLog(writer, () -> {}, Clock.systemUTC());
    CallObserver observer = log.of("orders", false);
    Calls lost = Calls.known("/lost");
    observer.onEnded(lost);
    writer.start();
    failing.awaitFirst();

    Calls kept = Calls.known("/kept");
    observer.onEnded(kept);
    log.close();

    assertThat(lost.losses()).hasValue(1);
    assertThat(kept.losses()).hasValue(0);

    assertThat(failing.out.toString(StandardCharsets.US_ASCII)).contains("/kept");
    assertThat(failing.out.toString(StandardCharsets.US_ASCII)).doesNotContain("/lost");
  }

  private static int losses(CallObserver observer, Calls call) {
    observer.onEnded(call);
    return call.losses().get();
  }

  /** Fails once, as a full disk does. */
  private static final class FailingFirst extends OutputStream {
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final AtomicInteger writes = new AtomicInteger();

    void awaitFirst() {
      while (writes.get() == 0) {
        Thread.onSpinWait();
      }
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      if (writes.getAndIncrement() == 0) {
        throw new IOException("no space left on device");
      }
      out.write(bytes, from, length);
    }
  }
}
