package io.outrigger.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What can only be read together is one thing: no more than four top-level classes all need each
 * other. Imports do not show such a knot, the bytecode does.
 */
class KnotsTest {
  private static final int MOST = 4;

  /** Those of today; the list only shrinks. */
  private static final Set<String> TODAY =
      inPackage(
          "io.outrigger.proxy.http2",
          "ConnectionLifecycle",
          "ConnectionReceiveWindow",
          "ConnectionMemory",
          "ConnectionParts",
          "InboundFrames",
          "KeepAlive",
          "SendScheduler",
          "PeerFaults",
          "PeerSettings",
          "SocketConnection",
          "SocketStream",
          "StreamTable");

  private static Set<String> inPackage(String home, String... types) {
    return new TreeSet<>(Stream.of(types).map(type -> home + "." + type).toList());
  }

  @Test
  void noMoreThanFourClassesAllNeedEachOther() {
    List<Set<String>> knots = Knots.above(MOST, Product.CLASSES.stream().toList());

    assertThat(knots).containsExactly(TODAY);
  }

  @Test
  void classesThatNeedEachOtherAreFound() {
    List<Set<String>> pairs = Knots.above(1, Product.CLASSES.stream().toList());

    assertThat(pairs).anyMatch(pair -> pair.contains("io.outrigger.proxy.forward.Attempt"));
    assertThat(pairs).noneMatch(pair -> pair.contains("io.outrigger.base.RpcStatus"));
  }
}
