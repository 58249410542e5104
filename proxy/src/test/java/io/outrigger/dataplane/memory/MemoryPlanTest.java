package io.outrigger.dataplane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MemoryPlanTest {
  private static final long MIB = 1 << 20;

  /** The heap that Java makes in a container of such a size under the flags of the distribution. */
  private static MemoryPlan inContainer(long containerMib) {
    return inContainer(containerMib, true);
  }

  private static MemoryPlan inContainer(long containerMib, boolean hasStartUpCache) {
    double small = containerMib * 0.28;
    long heap = (long) ((small < 124.8 ? small : containerMib * 0.35) * MIB);
    return MemoryPlan.ofHeap(heap, hasStartUpCache);
  }

  @ParameterizedTest(name = "{0} MiB -> heap {1}, buffers {2}; peers {3} and {4}")
  @CsvSource({
    " 128,   35,   14,  12,   10",
    " 192,   53,   48,  26,   43",
    " 256,   71,   89,  40,   80",
    " 512,  179,  179, 124,  161",
    "1024,  358,  358, 263,  322",
    "4096, 1433, 1433, 1102, 1290",
  })
  void aContainerIsDivided(long container, long heap, long direct, long peerHeap, long peerDirect) {
    MemoryPlan plan = inContainer(container);

    assertThat(MemoryPlan.containerBytes(plan.heapBytes()))
        .isBetween(container * MIB - 16, container * MIB);
    assertThat(plan.heapBytes() / MIB).isEqualTo(heap);
    assertThat(plan.directBytes() / MIB).isEqualTo(direct);
    assertThat(plan.peerHeapBytes() / MIB).isEqualTo(peerHeap);
    assertThat(plan.peerDirectBytes() / MIB).isEqualTo(peerDirect);
    assertThat(plan.peerBytes()).isEqualTo(plan.peerHeapBytes() + plan.peerDirectBytes());
  }

  @ParameterizedTest
  @ValueSource(longs = {145, 192, 256, 300, 400, 440, 446, 500, 1024, 1 << 16})
  void theRestFitsBesideHeapAndBuffers(long container) {
    MemoryPlan plan = inContainer(container);
    long rest = container * MIB - plan.heapBytes() - plan.directBytes();

    assertThat(rest).isGreaterThanOrEqualTo(90 * MIB - 16);
    assertThat(plan.peerHeapBytes()).isLessThan(plan.heapBytes() - MemoryPlan.YOUNG_BYTES);
    assertThat(plan.peerDirectBytes()).isLessThan(plan.directBytes());
  }

  /** Classes are then memory that the kernel cannot take back. */
  @ParameterizedTest
  @CsvSource({"128, 14", "192, 18", "256, 64", "512, 179"})
  void withoutAStartUpCacheBuffersLeaveRoomForClasses(long container, long direct) {
    MemoryPlan plan = inContainer(container, false);

    assertThat(plan.directBytes() / MIB).isEqualTo(direct);
    assertThat(plan.heapBytes()).isEqualTo(inContainer(container).heapBytes());
  }

  @Test
  void aHeapTooSmallForTheProgramStillLeavesPeersSomething() {
    MemoryPlan plan = MemoryPlan.ofHeap(16 * MIB, true);

    assertThat(plan.directBytes()).isEqualTo(14 * MIB);
    assertThat(plan.peerHeapBytes()).isEqualTo(MIB);
    assertThat(plan.peerDirectBytes()).isEqualTo(10 * MIB);
  }

  @Test
  void theFlagsOfTheDistributionAreThoseOfThePlan() throws IOException {
    assertThat(Files.readAllLines(Path.of("..", "docker", "jvm.options")))
        .contains(
            "-XX:MinRAMPercentage=28",
            "-XX:MaxRAMPercentage=35",
            "-Xmn" + MemoryPlan.YOUNG_BYTES / MIB + "m");
  }
}
