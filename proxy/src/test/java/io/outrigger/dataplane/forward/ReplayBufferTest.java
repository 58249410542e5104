package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayBufferTest {
  private final Budget budget = new Budget(10_000);
  private final Budget ample = new Budget(1 << 20);

  /** A request outgrows its copy at 256 KiB. */
  @ParameterizedTest(name = "{0} bytes, then {1}")
  @CsvSource({"1, 0", "100, 412", "512, 1", "600, 261544", "262144, 0"})
  void everyByteIsKeptInOrder(int first, int second) {
    ReplayBuffer kept = new ReplayBuffer(ample);

    assertThat(keep(kept, "a".repeat(first))).isTrue();
    assertThat(keep(kept, "b".repeat(second))).isTrue();

    assertThat(copyOf(kept)).isEqualTo("a".repeat(first) + "b".repeat(second));
    kept.release();
  }

  @Test
  void whatDoesNotFitIsCutAndNothingFollowsIt() {
    ReplayBuffer kept = new ReplayBuffer(ample);
    keep(kept, "a".repeat(262_138));

    assertThat(keep(kept, "bcdefgh")).isFalse();
    assertThat(keep(kept, "i")).isFalse();

    assertThat(copyOf(kept)).isEqualTo("a".repeat(262_138) + "bcdefg");
    assertThat(kept.size()).isEqualTo(262_144);
    kept.release();
  }

  @Test
  void whatABudgetDoesNotGrantLeavesNoGap() {
    ReplayBuffer kept = new ReplayBuffer(budget);
    keep(kept, "a".repeat(9_999));

    assertThat(keep(kept, "bb")).isFalse();
    assertThat(keep(kept, "c")).isFalse();

    assertThat(copyOf(kept)).isEqualTo("a".repeat(9_999));
    kept.release();
  }

  @Test
  void aCopyOutlivesTheBufferOfItsRequest() {
    ReplayBuffer kept = new ReplayBuffer(ample);
    keep(kept, "first");
    ByteBuf copy = kept.copy();
    kept.release();

    ReplayBuffer next = new ReplayBuffer(ample);
    keep(next, "second");

    assertThat(copy.toString(StandardCharsets.US_ASCII)).isEqualTo("first");
    assertThat(copyOf(next)).isEqualTo("second");
    copy.release();
    next.release();
  }

  @Test
  void theBudgetOfPoliciesHasEveryByteBackAtTheEnd() {
    ReplayBuffer small = new ReplayBuffer(budget);
    ReplayBuffer large = new ReplayBuffer(budget);
    assertThat(keep(small, "a".repeat(500))).isTrue();
    assertThat(keep(large, "a".repeat(500))).isTrue();
    assertThat(keep(large, "b".repeat(9_000))).isTrue();
    assertThat(budget.held()).isEqualTo(10_000);
    assertThat(keep(small, "b")).as("beyond the budget").isFalse();

    small.release();
    assertThat(budget.held()).isEqualTo(9_500);
    large.release();
    assertThat(budget.held()).isZero();
  }

  private static boolean keep(ReplayBuffer kept, String text) {
    ByteBuf data = Unpooled.directBuffer();
    ByteBufUtil.writeAscii(data, text);
    try {
      return kept.keep(data) == text.length();
    } finally {
      data.release();
    }
  }

  private static String copyOf(ReplayBuffer kept) {
    ByteBuf copy = kept.copy();
    try {
      return copy.toString(StandardCharsets.US_ASCII);
    } finally {
      copy.release();
    }
  }
}
