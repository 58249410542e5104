package io.outrigger.dataplane.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.calls.CallTotals.Durations;
import io.outrigger.dataplane.calls.MethodTotals.Measured;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallTotalsTest {
  private final CallStats first = new CallStats(0, Measuring.LITTLE);
  private final CallStats second = new CallStats(1, Measuring.LITTLE);

  /** A request without headers. */
  private record Request(String path) implements RequestView {
    @Override
    public @Nullable String header(String name) {
      return null;
    }
  }

  private CallTotals totals() {
    return new CallTotals(List.of(first, second), 7);
  }

  @Test
  void loopsAreAddedUp() {
    first.started();
    second.started();
    second.started();
    first.ended();
    first.unobserved();
    second.unobserved();
    first.httpStatus(302);
    second.httpStatus(399);
    second.httpStatus(0);
    second.httpStatus(999);
    first.local(LocalReason.DEADLINE);
    second.local(LocalReason.DRAINING);
    first.grpcStatus(Code.OK);
    second.grpcStatus(Code.UNAVAILABLE);

    CallTotals totals = totals();
    assertThat(totals.started()).isEqualTo(3);
    assertThat(totals.active()).isEqualTo(2);
    assertThat(totals.queued()).isEqualTo(7);
    assertThat(totals.unobserved()).isEqualTo(2);
    assertThat(totals.byHttpClass(3)).isEqualTo(2);
    assertThat(totals.byHttpClass(0)).as("reset").isEqualTo(1);
    assertThat(totals.byHttpClass(5)).as("beyond all").isEqualTo(1);
    assertThat(totals.byLocalReason(LocalReason.DEADLINE)).isEqualTo(1);
    assertThat(totals.byLocalReason(LocalReason.DRAINING)).isEqualTo(1);
    assertThat(totals.byLocalReason(LocalReason.NO_ROUTE)).isZero();
    assertThat(totals.byGrpcStatus(Code.OK)).isEqualTo(1);
    assertThat(totals.byGrpcStatus(Code.UNAVAILABLE)).isEqualTo(1);
    assertThat(totals.succeeded()).isEqualTo(3);
  }

  @Test
  void durationsOfAllKindsOfCallsAreOneDistribution() {
    first.endedPlain(10_000);
    second.endedPlain(10_000);
    first.endedPlain(20_000);
    second.method(new Request("/a.B/C")).callEnded(Code.OK, 1_000_000);

    CallTotals totals = totals();
    assertThat(totals.durations())
        .containsExactly(new Durations(10, 2), new Durations(20, 1), new Durations(1023, 1));
    assertThat(totals.totalMicros()).isEqualTo(1_040);
    assertThat(totals.endedWithin(9)).isZero();
    assertThat(totals.endedWithin(10)).isEqualTo(2);
    assertThat(totals.endedWithin(1022)).isEqualTo(3);
    assertThat(totals.endedWithin(1023)).isEqualTo(4);
    assertThat(totals.endedWithin(Long.MAX_VALUE)).isEqualTo(4);
    assertThat(totals.quantileMicros(0)).isEqualTo(10);
    assertThat(totals.quantileMicros(0.5)).isEqualTo(10);
    assertThat(totals.quantileMicros(0.51)).isEqualTo(20);
    assertThat(totals.quantileMicros(0.75)).isEqualTo(20);
    assertThat(totals.quantileMicros(0.99)).isEqualTo(1023);
    assertThat(totals.quantileMicros(1)).isEqualTo(1023);
  }

  @Test
  void withoutCallsThereIsNothingToTell() {
    assertThat(totals().durations()).isEmpty();
    assertThat(totals().quantileMicros(0.99)).isZero();
    assertThat(totals().totalMicros()).isZero();
    assertThat(totals().endedWithin(Long.MAX_VALUE)).isZero();
  }

  @Test
  void methodsThatAreToldApartCountForThemselves() {
    var stats = new CallStats(3, new Measuring(Set.of("a.B/C"), false, false, false));
    stats.method(new Request("/a.B/C")).callEnded(Code.OK, 1);
    stats.method(new Request("/a.B/D")).callEnded(Code.INTERNAL, 1);

    var totals = new CallTotals(List.of(stats), 0);
    assertThat(stats.loop()).isEqualTo(3);
    assertThat(totals.methods()).containsOnlyKeys("a.B/C", "other");
    assertThat(totals.methods().get("a.B/C").calls()).containsOnlyKeys(Code.OK);
    assertThat(totals.methods().get("other").calls()).containsOnlyKeys(Code.INTERNAL);
  }

  @Test
  void histogramsOfTheSameBoundsAreAdded() {
    var one = new Measured(new long[] {1_000, 5_000});
    var calls = new LatencyHistogram();
    calls.record(0);
    calls.record(1_000);
    calls.record(1_999); // reported in whole microseconds
    calls.record(2_000);
    calls.record(5_000);
    calls.record(6_000);
    one.add(calls);
    Measured both = one.empty();
    both.add(one);
    both.add(one);

    assertThat(counts(one)).containsExactly(3, 2, 1);
    assertThat(one.sum()).isEqualTo(15_999);
    assertThat(counts(both)).containsExactly(6, 4, 2);
    assertThat(both.sum()).isEqualTo(2 * 15_999);
    assertThat(List.of(both.bound(0), both.bound(1))).containsExactly(1_000L, 5_000L);
    assertThat(counts(one.empty())).containsExactly(0, 0, 0);
  }

  private static List<Integer> counts(Measured measured) {
    return IntStream.range(0, measured.buckets())
        .mapToObj(bucket -> (int) measured.count(bucket))
        .toList();
  }
}
