package io.outrigger.lb;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.lb.state.SubchannelCalls;
import org.junit.jupiter.api.Test;

class CallCountsTest {
  private static final int LOOPS = 40;

  @Test
  void callsOfAllLoopsAreAddedUp() {
    var counts = new CallCounts(LOOPS);
    assertThat(counts.totals()).isEqualTo(SubchannelCalls.NONE);

    for (int loop = 0; loop < LOOPS; loop++) {
      for (int i = 0; i < 10; i++) {
        counts.onStarted(loop);
      }
      counts.onEnded(loop, CallOutcome.SUCCESS);
      counts.onEnded(loop, CallOutcome.SUCCESS);
      counts.onEnded(loop, CallOutcome.FAILURE);
      counts.onEnded(loop, CallOutcome.NOT_SENT);
    }

    assertThat(counts.totals()).isEqualTo(new SubchannelCalls(6 * LOOPS, 2 * LOOPS, LOOPS));
    assertThat(counts.totals().issued()).isEqualTo(9 * LOOPS);
  }

  @Test
  void totalsOfSeveralSubchannelsAreAddedUp() {
    var some = new SubchannelCalls(1, 20, 300);

    assertThat(SubchannelCalls.NONE.plus(some)).isEqualTo(some);
    assertThat(some.plus(SubchannelCalls.NONE)).isEqualTo(some);
    assertThat(some.plus(new SubchannelCalls(4, 50, 600)))
        .isEqualTo(new SubchannelCalls(5, 70, 900));
  }
}
