package io.outrigger.dataplane.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.program.testing.mesh.DefaultSettings;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallStatsTotalsTest {
  private final CallStats first = new CallStats(0, DefaultSettings.LITTLE);
  private final CallStats second = new CallStats(1, DefaultSettings.LITTLE);

  /** A request without headers. */
  private record Request(String path) implements RequestView {
    @Override
    public @Nullable String header(String name) {
      return null;
    }
  }

  private CallStats.Totals totals() {
    return new CallStats.Totals(List.of(first, second), 7);
  }

  @Test
  void loopsAreAddedUp() {
    first.count(CallCounter.STARTED);
    second.count(CallCounter.STARTED);
    second.count(CallCounter.STARTED);
    first.count(CallCounter.ENDED);
    first.count(CallCounter.UNOBSERVED);
    second.count(CallCounter.UNOBSERVED);
    first.httpStatus(302);
    second.httpStatus(399);
    second.httpStatus(0);
    second.httpStatus(999);
    first.local(LocalReason.DEADLINE);
    second.local(LocalReason.OVERLOAD);
    first.grpcStatus(Code.OK);
    second.grpcStatus(Code.UNAVAILABLE);

    CallStats.Totals totals = totals();
    assertThat(totals.count(CallCounter.STARTED)).isEqualTo(3);
    assertThat(totals.active()).isEqualTo(2);
    assertThat(totals.queued()).isEqualTo(7);
    assertThat(totals.count(CallCounter.UNOBSERVED)).isEqualTo(2);
    assertThat(totals.byHttpClass()).isEqualTo(Map.of("3xx", 2L, "5xx", 1L));
    assertThat(totals.byLocalReason()).isEqualTo(Map.of("deadline", 1L, "overload", 1L));
    assertThat(totals.byGrpcStatus()).isEqualTo(Map.of("OK", 1L, "UNAVAILABLE", 1L));
    assertThat(totals.succeeded()).isEqualTo(3);
  }

  @Test
  void durationsOfAllKindsOfCallsAreOneDistribution() {
    first.notGrpcEnded(10_000);
    second.notGrpcEnded(10_000);
    first.notGrpcEnded(20_000);
    second.method(new Request("/a.B/C")).callEnded(Code.OK, 1_000_000);

    assertThat(micros(totals().durations())).isEqualTo(Map.of(10L, 2L, 20L, 1L, 1023L, 1L));
    assertThat(totals().durations().sum()).isEqualTo(1_040_000);
  }

  private static Map<Long, Long> micros(Histogram durations) {
    Map<Long, Long> counts = new TreeMap<>();
    for (int i = 0; i < durations.buckets(); i++) {
      if (durations.count(i) > 0) {
        counts.put(durations.bound(i) / 1_000, durations.count(i));
      }
    }
    return counts;
  }

  @Test
  void methodsThatAreToldApartCountForThemselves() {
    var stats = new CallStats(3, new Measuring(Set.of("a.B/C"), false, false, false, false));
    stats.method(new Request("/a.B/C")).callEnded(Code.OK, 1);
    stats.method(new Request("/a.B/D")).callEnded(Code.INTERNAL, 1);

    var totals = new CallStats.Totals(List.of(stats), 0);
    assertThat(stats.loop()).isEqualTo(3);
    assertThat(totals.methods()).containsOnlyKeys("a.B/C", "other");
    assertThat(totals.methods().get("a.B/C").calls()).containsOnlyKeys(Code.OK);
    assertThat(totals.methods().get("other").calls()).containsOnlyKeys(Code.INTERNAL);
  }

  @Test
  void theSameMethodOfTwoLoopsIsOne() {
    for (CallStats loop : List.of(first, second)) {
      MethodStats stats = loop.method(new Request("/a.B/C"));
      stats.attemptStarted();
      stats.attemptEnded("pay", null, Code.OK, 1, 2, 3);
      stats.callEnded(Code.OK, 1_000);
      stats.retriedCallEnded(1, 2, 3);
    }

    MethodStats both = totals().methods().get("other");
    assertThat(both.attempts()).isEqualTo(2);
    assertThat(both.calls().get(Code.OK).sum()).isEqualTo(2_000);
    MethodStats.Attempts ended = both.ended().get(new MethodStats.Place("pay", null)).get(Code.OK);
    assertThat(List.of(ended.durations().sum(), ended.sent().sum(), ended.received().sum()))
        .containsExactly(2L, 4L, 6L);
    assertThat(both.retries().sum()).isEqualTo(2);
    assertThat(both.transparentRetries().sum()).isEqualTo(4);
    assertThat(both.retryDelays().sum()).isEqualTo(6);
  }
}
