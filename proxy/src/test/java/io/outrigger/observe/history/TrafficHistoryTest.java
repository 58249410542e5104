package io.outrigger.observe.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.tls.EndpointTls;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.dataplane.calls.MethodStats;
import io.outrigger.observe.history.TrafficHistory.View.Minute;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class TrafficHistoryTest {
  private static final Duration MINUTE = TrafficHistory.MINUTE;

  private final FakeControlLoop control = new FakeControlLoop();
  private final Queue<Runnable> firstLoop = new ArrayDeque<>();
  private final Queue<Runnable> secondLoop = new ArrayDeque<>();
  private final TrafficHistory history =
      new TrafficHistory("orders", control, List.of(firstLoop::add, secondLoop::add));

  @Test
  void loopsAreAddedUpMinuteByMinute() {
    control.inside(history::start);
    call(0, "A", 1, 10, false);
    call(1, "A", 1, 10, true);
    call(1, "A", 2, 1000, false);
    over(MINUTE);
    call(0, "A", 2, 10, false);

    TrafficHistory.View.Cluster cluster = view().clusters().get(0);

    assertThat(cluster.minutes()).extracting(Minute::requests).containsExactly(3L, 1L);
    assertThat(cluster.minutes()).extracting(Minute::errors).containsExactly(1L, 0L);
    Minute first = cluster.minutes().get(0);
    assertThat(first.p50Ms()).isBetween(10.0, 10.7);
    assertThat(first.maxMs()).isBetween(1_000.0, 1_070.0);
    assertThat(cluster.endpoints())
        .extracting(TrafficHistory.View.Endpoint::address)
        .containsExactly("10.0.0.1:80", "10.0.0.2:80");
    assertThat(cluster.endpoints().get(0).minutes())
        .extracting(Minute::requests)
        .containsExactly(2L);
  }

  @Test
  void anHourIsKeptAndWhatHadNoCallsIsForgotten() {
    control.inside(history::start);
    for (int minute = 0; minute < 100; minute++) {
      call(0, "A", 1, 5, false);
      if (minute < 10) {
        call(0, "B", 2, 5, false);
      }
      over(MINUTE);
    }

    assertThat(view().clusters())
        .extracting(TrafficHistory.View.Cluster::name)
        .containsExactly("A");
    assertThat(view().clusters().get(0).minutes()).hasSize(60);
    assertThat(view().clusters().get(0).endpoints().get(0).minutes()).hasSize(60);
  }

  @Test
  void anEndpointIsOneHoweverItWasReached() {
    control.inside(history::start);
    var tls =
        new UpstreamTls(
            Optional.empty(), new TrustSource.SystemRoots(), List.of(), "", false, false);
    var secured =
        new EndpointAddress(
            "10.0.0.1", 80, Optional.empty(), Optional.of(new EndpointTls(tls, Optional.empty())));
    call(0, "A", 1, 10, false);
    history.onEnded(new EndedCall(0, "A", secured, 10_000_000, false));
    over(MINUTE);

    assertThat(view().clusters().get(0).endpoints())
        .singleElement()
        .satisfies(
            endpoint ->
                assertThat(endpoint.minutes()).extracting(Minute::requests).containsExactly(2L));
  }

  @Test
  void endlessNamesTakeBoundedRoom() {
    control.inside(history::start);
    for (int i = 0; i < 20_000; i++) {
      call(0, "c" + i % 1000, i, 5, false);
    }

    List<TrafficHistory.View.Cluster> clusters = view().clusters();

    assertThat(clusters).hasSize(TrafficHistory.MAX_CLUSTERS);
    assertThat(clusters.stream().mapToInt(cluster -> cluster.endpoints().size()).sum())
        .isEqualTo(TrafficHistory.MAX_ENDPOINTS);
    assertThat(
            clusters.stream()
                .flatMap(cluster -> cluster.minutes().stream())
                .mapToLong(Minute::requests)
                .sum())
        .isEqualTo(10_000);
  }

  @Test
  void aLongNameIsShortened() {
    control.inside(history::start);
    call(0, "c".repeat(1 << 20), 1, 5, false);

    assertThat(view().clusters().get(0).name()).hasSize(MethodStats.MAX_NAMES + 1);
  }

  private void over(Duration time) {
    control.advance(time);
    settle();
  }

  /** Runs all pending tasks of the event loops and of the control loop. */
  private void settle() {
    while (!firstLoop.isEmpty() || !secondLoop.isEmpty()) {
      Runnable task = firstLoop.isEmpty() ? secondLoop.remove() : firstLoop.remove();
      task.run();
      control.run();
    }
  }

  private void call(int loop, String cluster, int endpoint, long millis, boolean failed) {
    var address =
        new EndpointAddress(
            "10." + endpoint / 65536 + "." + endpoint / 256 % 256 + "." + endpoint % 256, 80);
    history.onEnded(new EndedCall(loop, cluster, address, millis * 1_000_000, failed));
  }

  private TrafficHistory.View view() {
    List<TrafficHistory.View> views = new ArrayList<>();
    control.inside(() -> history.read(Optional.empty(), Optional.empty()).thenAccept(views::add));
    settle();
    return views.get(0);
  }
}
