package io.outrigger.dataplane.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus.Code;
import io.outrigger.program.testing.mesh.DefaultSettings;
import org.junit.jupiter.api.Test;

/** Tests a call without any recorded data. The tests of {@code forward} cover whole calls. */
class CallStatsRecorderTest {
  @Test
  void aCallThatNeverBeganHasNothingToTell() {
    CallSummary summary = new CallStatsRecorder(new CallStats(3, DefaultSettings.LITTLE));

    CallRecord call = summary.record("orders", 0);

    assertThat(summary.loop()).isEqualTo(3);
    assertThat(summary.address()).isNull();
    assertThat(call.method()).isEmpty();
    assertThat(call.path()).isEmpty();
    assertThat(call.authority()).isEmpty();
    assertThat(call.traceparent()).isEmpty();
    assertThat(call.isGrpc()).isFalse();
    assertThat(call.code()).isEqualTo(Code.OK);
    assertThat(call.route()).isEmpty();
    assertThat(call.cluster()).isEmpty();
    assertThat(call.endpoint()).isEmpty();
    assertThat(call.locality()).isEmpty();
    assertThat(call.priority()).isEmpty();
    assertThat(call.attempts()).isZero();
  }

  @Test
  void theLastCallsEndIsKept() {
    var call = new CallStatsRecorder(new CallStats(0, DefaultSettings.LITTLE));
    call.ended(5, 6);

    assertThat(call.durationNanos()).isEqualTo(5);
    assertThat(call.record("orders", 0).timeoutNanos()).isEqualTo(6);
  }
}
