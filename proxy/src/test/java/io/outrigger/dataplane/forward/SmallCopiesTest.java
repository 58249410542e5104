package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SmallCopiesTest {
  private static final int MAX_FREE = 256;

  private final SmallCopies arrays = new SmallCopies();

  @Test
  void theOneGivenBackLastIsTakenNext() {
    byte[] first = arrays.take();
    byte[] second = arrays.take();
    assertThat(second).isNotSameAs(first).hasSize(SmallCopies.BYTES);

    arrays.giveBack(first);
    arrays.giveBack(second);

    assertThat(arrays.take()).isSameAs(second);
    assertThat(arrays.take()).isSameAs(first);
  }

  @Test
  void noMoreThanABoundedNumberIsKept() {
    List<byte[]> given = new ArrayList<>();
    for (int i = 0; i <= MAX_FREE; i++) {
      given.add(arrays.take());
    }
    given.forEach(arrays::giveBack);

    for (int i = MAX_FREE - 1; i >= 0; i--) {
      assertThat(arrays.take()).isSameAs(given.get(i));
    }
    byte[] next = arrays.take();
    assertThat(given).noneMatch(known -> known == next);
  }
}
