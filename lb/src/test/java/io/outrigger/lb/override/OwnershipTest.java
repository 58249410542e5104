package io.outrigger.lb.override;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.override.Ownership.Event;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnershipTest {
  @Conformance({"A75-35", "A75-37", "A75-38"})
  @ParameterizedTest(name = "{0} on {1}, wanted {2} -> {3}")
  @CsvSource({
    "NONE,     ACQUIRED,  any,   BALANCER",
    "NONE,     REQUESTED, any,   SESSIONS",
    "NONE,     REMOVED,   any,   NONE",
    "NONE,     RELEASED,  any,   NONE",
    "NONE,     UNUSED,    any,   NONE",
    "BALANCER, RELEASED,  true,  SESSIONS",
    "BALANCER, RELEASED,  false, NONE",
    "BALANCER, REQUESTED, any,   BALANCER",
    "BALANCER, REMOVED,   any,   NONE",
    "BALANCER, UNUSED,    any,   BALANCER",
    "SESSIONS, ACQUIRED,  any,   BALANCER",
    "SESSIONS, REQUESTED, any,   SESSIONS",
    "SESSIONS, RELEASED,  any,   SESSIONS",
    "SESSIONS, UNUSED,    any,   NONE",
    "SESSIONS, REMOVED,   any,   NONE",
  })
  void tableOfOwners(Ownership state, Event event, String wanted, Ownership next) {
    for (boolean each : new boolean[] {true, false}) {
      if (wanted.equals("any") || Boolean.parseBoolean(wanted) == each) {
        assertThat(state.on(event, each)).isEqualTo(next);
      }
    }
  }
}
