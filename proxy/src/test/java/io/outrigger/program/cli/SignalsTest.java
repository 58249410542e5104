package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SignalsTest {
  private long now = Long.MAX_VALUE; // it may overflow
  private final Signals signals = new Signals(() -> now);
  private final List<String> done = new ArrayList<>();

  @Test
  void theFirstSignalDrainsAndTheSecondInsists() {
    signals.onFirst(() -> done.add("drain"));
    signals.onSecond(() -> done.add("end"));

    signals.arrived();
    assertThat(done).containsExactly("drain");

    now += Signals.REPEAT_WINDOW.toNanos();
    signals.arrived();
    assertThat(done).containsExactly("drain", "end");

    signals.arrived();
    assertThat(done).containsExactly("drain", "end");
  }

  /** As {@code timeout} sends it, and supervisors that signal the process and its group. */
  @Conformance("SC-44")
  @Test
  void repeatsWithinASecondAreTheSameSignal() {
    signals.onFirst(() -> done.add("drain"));
    signals.onSecond(() -> done.add("end"));

    signals.arrived();
    now += Signals.REPEAT_WINDOW.toNanos() - 1;
    signals.arrived();
    signals.arrived();
    assertThat(done).containsExactly("drain");

    now += 1;
    signals.arrived();
    assertThat(done).containsExactly("drain", "end");
  }

  @Test
  void aSignalThatCameBeforeItsActionIsNotLost() {
    signals.arrived();

    signals.onFirst(() -> done.add("drain"));

    assertThat(done).containsExactly("drain");
  }
}
