package io.outrigger.proxy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SignalsTest {
  private final Signals signals = new Signals();
  private final List<String> done = new ArrayList<>();

  @Test
  void theFirstSignalDrainsAndTheSecondInsists() {
    signals.onFirst(() -> done.add("drain"));
    signals.onSecond(() -> done.add("end"));

    signals.arrived();
    assertThat(done).containsExactly("drain");

    signals.arrived();
    assertThat(done).containsExactly("drain", "end");

    signals.arrived();
    assertThat(done).containsExactly("drain", "end");
  }

  @Test
  void aSignalThatCameBeforeItsActionIsNotLost() {
    signals.arrived();

    signals.onFirst(() -> done.add("drain"));
    signals.onFirst(() -> done.add("drain again"));

    assertThat(done).containsExactly("drain");
  }

  @Test
  void theLastActionSetIsTheOneThatCounts() {
    signals.onFirst(() -> done.add("old"));
    signals.onFirst(() -> done.add("new"));

    signals.arrived();

    assertThat(done).containsExactly("new");
  }
}
