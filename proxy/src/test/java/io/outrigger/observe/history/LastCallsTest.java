package io.outrigger.observe.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.EndpointAddress;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class LastCallsTest {
  private final LastCalls calls = new LastCalls("orders", Clock.systemUTC(), 2);

  @Test
  void theLastCallOfAPathIsKept() {
    end(0, "/p.S/M?q=1", "A", 0);
    end(0, "/p.S/M", "B", LastCalls.PERIOD_NANOS);

    assertThat(calls.of("/p.S/M?q=2").orElseThrow().cluster()).contains("B");
    assertThat(calls.of("/p.S/Other")).isEmpty();
  }

  @Test
  void callsThatFollowTooSoonAreNotLookedAt() {
    end(0, "/p.S/M", "A", 0);
    end(0, "/p.S/M", "B", LastCalls.PERIOD_NANOS - 1);
    assertThat(calls.of("/p.S/M").orElseThrow().cluster()).contains("A");

    end(1, "/p.S/M", "C", 1); // each loop samples independently
    assertThat(calls.of("/p.S/M").orElseThrow().cluster()).contains("C");
  }

  @Test
  void endlessPathsTakeBoundedRoom() {
    for (int i = 0; i < 10_000; i++) {
      end(0, "/p" + i, "A", i * LastCalls.PERIOD_NANOS);
    }

    long kept = 0;
    for (int i = 0; i < 10_000; i++) {
      kept += calls.of("/p" + i).isPresent() ? 1 : 0;
    }
    assertThat(kept).isEqualTo(LastCalls.MAX_PATHS);
    assertThat(calls.of("/p9999")).isPresent();
  }

  @Test
  void callsWithLongTextsAreNotKept() {
    end(0, "/p.S/M?" + "q".repeat(60_000), "A", 0);

    assertThat(calls.of("/p.S/M")).isEmpty();
  }

  private void end(int loop, String path, String cluster, long atNanos) {
    var address = new EndpointAddress("10.0.0.1", 80);
    assertThat(calls.onEnded(new EndedCall(loop, path, cluster, address, 1, false, atNanos)))
        .isTrue();
  }
}
