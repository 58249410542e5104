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
    "NONE,     ACQUIRED,  any,   BALANCER, LEASE",
    "NONE,     RELEASED,  any,   -,        -",
    "NONE,     REQUESTED, any,   SESSIONS, LEASE_AND_CONNECT",
    "NONE,     UNUSED,    any,   -,        -",
    "NONE,     REMOVED,   any,   NONE,     NOTHING",
    "BALANCER, ACQUIRED,  any,   -,        -",
    "BALANCER, RELEASED,  true,  SESSIONS, NOTHING",
    "BALANCER, RELEASED,  false, NONE,     RELEASE",
    "BALANCER, REQUESTED, any,   BALANCER, CONNECT",
    "BALANCER, UNUSED,    any,   -,        -",
    "BALANCER, REMOVED,   any,   NONE,     RELEASE",
    "SESSIONS, ACQUIRED,  any,   BALANCER, NOTHING",
    "SESSIONS, RELEASED,  any,   -,        -",
    "SESSIONS, REQUESTED, any,   SESSIONS, CONNECT",
    "SESSIONS, UNUSED,    any,   NONE,     RELEASE",
    "SESSIONS, REMOVED,   any,   NONE,     RELEASE",
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
