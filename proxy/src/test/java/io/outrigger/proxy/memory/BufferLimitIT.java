package io.outrigger.proxy.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
          "%s after %d of %d bytes, by malloc %s, at once %s%n",
          error,
          taken.size() * 65536L,
          PlatformDependent.maxDirectMemory(),
          PlatformDependent.useDirectBufferNoCleaner(),
          refusing < SLEEPS_OF_THE_JVM / 5);
    }
  }

  /** Takes all there is in buffers of each size, one after the other, and then in full reads. */
  static final class Changer {
    private static final int[] SIZES = {
      256, 512, 600, 1024, 1100, 2048, 2200, 4096, 4300, 8192, 8700, 16384, 16800
    };

    private Changer() {}

    public static void main(String[] args) {
      MemoryPlan.ofProcess().limitBuffers();
      for (int size : SIZES) {
        all(size).forEach(ByteBuf::release);
        IdleChunks.release(ByteBufAllocator.DEFAULT);
      }
      long taken = all(64 << 10).size() * 65536L;
      System.out.println(100 * taken / PlatformDependent.maxDirectMemory());
    }

    private static List<ByteBuf> all(int size) {
      List<ByteBuf> taken = new ArrayList<>();
      try {
        while (true) {
          taken.add(ByteBufAllocator.DEFAULT.directBuffer(size));
        }
      } catch (OutOfMemoryError e) {
        return taken;
      }
    }
  }

  /** What the program prints with a heap of {@code heap}. */
  private static String run(Class<?> program, String heap)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + Path.of("..", "docker", "jvm.options"),
                "-Xms20m",
                "-Xmx" + heap,
                "-cp",
                System.getProperty("java.class.path"),
                program.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return out;
  }

  /** Of 256 MiB; without {@link IdleChunks} two thirds are left. */
  @Test
  void whatBuffersOfOtherSizesHaveLeftIsGivenBack() throws IOException, InterruptedException {
    assertThat(Integer.parseInt(run(Changer.class, "102m").strip())).isBetween(78, 100);
  }

  @Test
  void whoWantsOneMoreIsRefusedAtOnce() throws IOException, InterruptedException {
    String out = run(Taker.class, "36m");

    long limit = MemoryPlan.ofHeap((36 << 20) - (704 << 10), false).directBytes();
    long reached = limit >> 16 << 16;
    assertThat(out)
        .isEqualTo(
            "OutOfDirectMemoryError after %d of %d bytes, by malloc true, at once true%n"
                .formatted(reached, limit));
  }
}
