package io.outrigger.abuse;

import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.requestWith;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.testing.AnsweringBackend;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Big streams that stand still and small calls beside them, against the real program with a small
 * {@code --max-memory}: the limit is kept, what is refused is told and counted, and when the big
 * ones are gone all is well.
 */
@Timeout(600)
final class MemoryOverloadIT {
  private static final long LIMIT = 48L << 20;

  /** What comes between two looks, in whole chunks of the allocator. */
  private static final long SLACK = 16L << 20;

  private static final int APPS = 10;

  /** Each with the window that a stream begins with: together more than may be held. */
  private static final int STREAMS = 350;

  private static final int WINDOW = 16 << 10;
  private static final int FRAME_BYTES = 4 << 10;
  private static final String LOCAL_REPLIES =
      "outrigger_local_replies_total{forward=\"%s\",reason=\"overload\"}";

  @TempDir Path folder;

  @Test
  void theLimitIsKeptRefusalsAreCountedAndItRecovers() throws Exception {
    try (var stuck = new RawBackend();
        var backend = new AnsweringBackend();
        var sidecar = sidecar(stuck.port(), backend.port());
        RawApp small = RawApp.connect(address(sidecar, "small"))) {
      assertThat(small.call()).isEqualTo("200");
      List<RawHttp2> open = new ArrayList<>();
      try {
        CompletableFuture<RawHttp2> accepted = accept(stuck);
        for (int i = 0; i < APPS; i++) {
          RawHttp2 big = RawHttp2.open(address(sidecar, "big"));
          open.add(big);
          for (int id = 1; id < 2 * STREAMS; id += 2) {
            big.send(requestWith(id, 0, "content-type", "application/grpc"));
          }
        }
        open.add(accepted.join()); // grants no more than HTTP/2 gives at first, and reads nothing
        byte[] parts = parts();
        long served = 0;
        long refused = 0;
        long most = 0;
        for (int sent = 0; sent < WINDOW; sent += FRAME_BYTES) {
          for (RawHttp2 big : open.subList(0, APPS)) {
            big.send(parts); // nothing, when it was ended
            String status = small.call();
            assertThat(status).isIn("200", "503");
            refused += status.equals("503") ? 1 : 0;
            served += status.equals("200") ? 1 : 0;
            most = Math.max(most, (long) metric(sidecar, "jvm_memory_used_bytes{area=\"direct\"}"));
          }
        }

        assertThat(most).isLessThan(LIMIT + SLACK); // of 55 MiB that were sent
        // Who holds next to nothing is served while others hold all: a refusal is the exception.
        assertThat(refused * 20).isLessThanOrEqualTo(served);
        long refusals = refused;
        Await.until(
            "each refusal is counted",
            () -> metric(sidecar, LOCAL_REPLIES.formatted("small")) == refusals);
        String said = "ended for holding most of the memory";
        Await.until("the log says so", () -> sidecar.errorText().contains(said));
        assertThat(toldToAny(open.subList(0, APPS))).contains("--max-memory");
      } finally {
        for (RawHttp2 wire : open) {
          wire.close();
        }
      }

      Await.until("small calls are served again", () -> call(small).equals("200"));
      Await.until(
          "memory is free again",
          () -> metric(sidecar, "jvm_memory_used_bytes{area=\"direct\"}") < LIMIT);
    }
  }

  private static CompletableFuture<RawHttp2> accept(RawBackend backend) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return backend.accept();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /**
   * DATA of each stream of an app, to be sent at once: where apps send slowly, it is enough that
   * the sidecar reads less from the heaviest.
   */
  private static byte[] parts() {
    var all = new ByteArrayOutputStream();
    for (int id = 1; id < 2 * STREAMS; id += 2) {
      all.writeBytes(data(id, 0, new byte[FRAME_BYTES]));
    }
    return all.toByteArray();
  }

  /** Which of them end is not set: those that hold most when memory is used up. */
  private static String toldToAny(List<RawHttp2> apps) {
    var told = new CompletableFuture<String>();
    CompletableFuture<?>[] readers =
        apps.stream()
            .map(
                app ->
                    CompletableFuture.supplyAsync(
                            () -> goAway(app), task -> new Thread(task, "reader").start())
                        .thenAccept(told::complete))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(readers)
        .whenComplete(
            (all, failure) -> told.completeExceptionally(new AssertionError("no app was told")));
    return told.join();
  }

  private static String goAway(RawHttp2 app) {
    try {
      Frame frame = app.await(each -> each.type() == Frames.GOAWAY);
      return new String(frame.payload(), 8, frame.payload().length - 8, UTF_8);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private static String call(RawApp app) {
    try {
      return app.call();
    } catch (Exception e) {
      return e.toString();
    }
  }

  private OutriggerProcess sidecar(int stuckPort, int answeringPort) throws IOException {
    Files.writeString(
        folder.resolve("mesh.yaml"),
        "resources:\n"
            + StaticService.yaml("big", stuckPort)
            + StaticService.yaml("small", answeringPort));
    return OutriggerProcess.start(
            folder,
            "run",
            "--resources",
            "mesh.yaml",
            "--forward",
            "big@127.0.0.1:0=xds:///big",
            "--forward",
            "small@127.0.0.1:0=xds:///small",
            "--admin",
            "127.0.0.1:0",
            "--threads",
            "1",
            "--max-memory",
            Long.toString(LIMIT))
        .awaitReady(200);
  }

  private static InetSocketAddress address(OutriggerProcess sidecar, String forward) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), sidecar.port(forward));
  }

  private static double metric(OutriggerProcess sidecar, String series) {
    return sidecar
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .sum();
  }
}
