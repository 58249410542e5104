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
  private final SmallCopies arrays = new SmallCopies();
  private final ByteBudget budget = new ByteBudget(10_000);

  /** The array is full at 512 bytes, and a request without a policy outgrows its copy at 64 KiB. */
  @ParameterizedTest(name = "{0} bytes, then {1}")
  @CsvSource({
    "1, 0",
    "100, 412",
    "512, 0",
    "100, 413",
    "512, 1",
    "513, 1",
    "600, 64936",
    "65536, 0"
  })
  void everyByteIsKeptInOrder(int first, int second) {
    ReplayBuffer kept = ReplayBuffer.forRefusal(arrays);

    assertThat(keep(kept, "a".repeat(first))).isTrue();
    assertThat(keep(kept, "b".repeat(second))).isTrue();

    assertThat(copyOf(kept)).isEqualTo("a".repeat(first) + "b".repeat(second));
    kept.release();
  }

  @Test
  void whatDoesNotFitIsCutAndNothingFollowsIt() {
    ReplayBuffer kept = ReplayBuffer.forRefusal(arrays);
    keep(kept, "a".repeat(65_530));

    assertThat(keep(kept, "bcdefgh")).isFalse();
    assertThat(keep(kept, "i")).isFalse();

    assertThat(copyOf(kept)).isEqualTo("a".repeat(65_530) + "bcdefg");
    assertThat(kept.size()).isEqualTo(65_536);
    kept.release();
  }

  @Test
  void whatABudgetDoesNotGrantLeavesNoGap() {
    ReplayBuffer kept = ReplayBuffer.forPolicy(arrays, budget);
    keep(kept, "a".repeat(9_999));

    assertThat(keep(kept, "bb")).isFalse();
    assertThat(keep(kept, "c")).isFalse();

    assertThat(copyOf(kept)).isEqualTo("a".repeat(9_999));
    kept.release();
  }

  @Test
  void aCopyOutlivesTheArrayOfItsRequest() {
    ReplayBuffer kept = ReplayBuffer.forRefusal(arrays);
    keep(kept, "first");
    ByteBuf copy = kept.copy();
    kept.release();

    ReplayBuffer next = ReplayBuffer.forRefusal(arrays);
    keep(next, "second");

    assertThat(copy.toString(StandardCharsets.US_ASCII)).isEqualTo("first");
    assertThat(copyOf(next)).isEqualTo("second");
    copy.release();
    next.release();
  }

  @Test
  void anArrayIsOnlyInOneRequestAtATime() {
    ReplayBuffer one = ReplayBuffer.forRefusal(arrays);
    keep(one, "one");
    keep(one, "x".repeat(600)); // now in a buffer: the array is free
    ReplayBuffer two = ReplayBuffer.forRefusal(arrays);
    keep(two, "two");
    one.release();
    ReplayBuffer three = ReplayBuffer.forRefusal(arrays);
    keep(three, "three");

    assertThat(copyOf(two)).isEqualTo("two");
    assertThat(copyOf(three)).isEqualTo("three");
    two.release();
    three.release();
  }

  @Test
  void anArrayGoesBackToTheLoopWhenABufferTakesOver() {
    byte[] array = known();
    ReplayBuffer kept = ReplayBuffer.forRefusal(arrays);
    keep(kept, "a".repeat(100));
    assertThat(arrays.take()).isNotSameAs(array);

    keep(kept, "b".repeat(600));

    assertThat(arrays.take()).isSameAs(array);
    kept.release();
  }

  @Test
  void anArrayGoesBackToTheLoopAtTheEnd() {
    byte[] array = known();
    ReplayBuffer kept = ReplayBuffer.forRefusal(arrays);
    keep(kept, "a");

    kept.release();

    assertThat(arrays.take()).isSameAs(array);
  }

  /** The array that the pool returns next. */
  private byte[] known() {
    byte[] array = arrays.take();
    arrays.giveBack(array);
    return array;
  }

  @Test
  void theBudgetOfPoliciesHasEveryByteBackAtTheEnd() {
    ReplayBuffer small = ReplayBuffer.forPolicy(arrays, budget);
    ReplayBuffer large = ReplayBuffer.forPolicy(arrays, budget);
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
