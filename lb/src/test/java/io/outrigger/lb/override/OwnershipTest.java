package io.outrigger.lb.override;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.lb.override.Ownership.Action;
import io.outrigger.lb.override.Ownership.Event;
import io.outrigger.lb.override.Ownership.Step;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnershipTest {
  /** Every combination; {@code -} cannot happen. */
  @Conformance({"A75-35", "A75-37", "A75-38"})
  @ParameterizedTest(name = "{0} on {1}, wanted {2} -> {3}, {4}")
  @CsvSource({
    "NOBODY,   TAKEN,    any,   BALANCER, LEASE",
    "NOBODY,   RETURNED, any,   -,        -",
    "NOBODY,   ASKED,    any,   SESSIONS, LEASE_AND_CONNECT",
    "NOBODY,   UNUSED,   any,   -,        -",
    "NOBODY,   GONE,     any,   NOBODY,   NOTHING",
    "BALANCER, TAKEN,    any,   -,        -",
    "BALANCER, RETURNED, true,  SESSIONS, NOTHING",
    "BALANCER, RETURNED, false, NOBODY,   RELEASE",
    "BALANCER, ASKED,    any,   BALANCER, CONNECT",
    "BALANCER, UNUSED,   any,   -,        -",
    "BALANCER, GONE,     any,   NOBODY,   RELEASE",
    "SESSIONS, TAKEN,    any,   BALANCER, NOTHING",
    "SESSIONS, RETURNED, any,   -,        -",
    "SESSIONS, ASKED,    any,   SESSIONS, CONNECT",
    "SESSIONS, UNUSED,   any,   NOBODY,   RELEASE",
    "SESSIONS, GONE,     any,   NOBODY,   RELEASE",
  })
  void tableOfOwners(Ownership state, Event event, String wanted, String next, String action) {
    for (boolean each : new boolean[] {true, false}) {
      if (wanted.equals("any") || Boolean.parseBoolean(wanted) == each) {
        if (next.equals("-")) {
          assertThatThrownBy(() -> state.on(event, each))
              .isInstanceOf(IllegalStateException.class)
              .hasMessage(event + " while owned by " + state);
        } else {
          assertThat(state.on(event, each))
              .isEqualTo(new Step(Ownership.valueOf(next), Action.valueOf(action)));
        }
      }
    }
  }
}
