package io.outrigger.dataplane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import io.outrigger.base.WaitingClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Buffers at their limit, in a JVM of its own with the flags of the distribution. */
@Timeout(120)
final class BufferLimitIT {
  /** A hundred allocations beyond the JVM's own limit, each with half a second of sleep. */
  private static final long SLEEPS_OF_THE_JVM = Duration.ofSeconds(50).toNanos();

  /** Takes buffers until there are none, and 100 times more. */
  static final class Taker {
    private Taker() {}

    public static void main(String[] args) {
      MemoryPlan.ofProcess().limitBuffers();
      List<ByteBuf> taken = new ArrayList<>();
      int refused = 0;
      String error = "";
      long refusing = 0;
      while (refused < 100) {
        long start = WaitingClock.nanoTime();
        try {
          taken.add(ByteBufAllocator.DEFAULT.directBuffer(64 << 10));
        } catch (OutOfMemoryError e) {
          error = e.getClass().getSimpleName();
          refused++;
          refusing += WaitingClock.nanoTime() - start;
        }
      }
      System.out.printf(
          "%s after %d of %d bytes, by malloc %s, one by one %s, at once %s%n",
          error,
          taken.size() * 65536L,
          PlatformDependent.maxDirectMemory(),
          PlatformDependent.useDirectBufferNoCleaner(),
          ByteBufAllocator.DEFAULT instanceof UnpooledByteBufAllocator,
          refusing < SLEEPS_OF_THE_JVM / 5);
    }
  }

  @Test
  void whoWantsOneMoreIsRefusedAtOnce() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + Path.of("..", "docker", "jvm.options"),
                "-Xms20m",
                "-Xmx36m",
                "-cp",
                System.getProperty("java.class.path"),
                Taker.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).isZero();
    long limit = MemoryPlan.ofHeap((36 << 20) - (704 << 10), false).directBytes();
    long reached = limit >> 16 << 16;
    assertThat(out)
        .isEqualTo(
            "OutOfDirectMemoryError after %d of %d bytes, by malloc true, one by one true, at once true%n"
                .formatted(reached, limit));
  }
}
