package io.outrigger.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What can only be read together is one thing: no more than four top-level classes all need each
 * other. Imports do not show such a knot, the bytecode does.
 */
class KnotsTest {
  private static final int MOST = 4;

  @Test
  void noMoreThanFourClassesAllNeedEachOther() {
    List<Set<String>> knots = Knots.above(MOST, Product.CLASSES.stream().toList());

    assertThat(knots).isEmpty();
  }

  @Test
  void classesThatNeedEachOtherAreFound() {
    List<Set<String>> pairs = Knots.above(1, Product.CLASSES.stream().toList());

    assertThat(pairs).anyMatch(pair -> pair.contains("io.outrigger.dataplane.forward.Attempt"));
    assertThat(pairs).noneMatch(pair -> pair.contains("io.outrigger.base.RpcStatus"));
  }
}
