package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.memory.MemoryView;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.PeerErrors;
import io.outrigger.observe.events.Event;
import io.outrigger.observe.events.EventLog;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerReportsTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final PeerErrors errors = new PeerErrors();
  private final EventLog events = new EventLog(loop);
  private MemoryView memory = ended(1, 0);

  private static MemoryView ended(long ofApps, long ofBackends) {
    return new MemoryView(
        new MemoryView.Held(5, 70),
        new MemoryView.Held(6, 80),
        new MemoryView.Held(11, 90),
        List.of(
            new MemoryView.EndedCount(PeerErrors.Side.APP, ofApps),
            new MemoryView.EndedCount(PeerErrors.Side.BACKEND, ofBackends)));
  }

  private PeerReports reports() {
    return new PeerReports(loop, errors, () -> memory, events);
  }

  private List<String> told() {
    List<Event> told = new ArrayList<>();
    loop.inside(() -> told.addAll(events.after(0, 10).events()));
    return told.stream().map(event -> event.kind() + ": " + event.message()).toList();
  }

  @Test
  void connectionsThatMemoryEndedAreOneEventASecond() {
    loop.inside(() -> reports().start());
    loop.advance(Duration.ofSeconds(2));
    assertThat(told()).isEmpty();

    memory = ended(4, 1);
    loop.advance(Duration.ofSeconds(3));

    assertThat(told())
        .containsExactly(
            "MEMORY: 3 connections of apps, 1 connection of backends ended for holding most of the"
                + " memory; held 5 bytes of 70 on the heap, 6 of 80 outside");
  }

  @Test
  void aFloodIsOneEventASecond() {
    loop.inside(() -> reports().start());
    for (int i = 0; i < 100; i++) {
      errors.onConnectionEnded(
          PeerErrors.Side.APP,
          Http2Error.ENHANCE_YOUR_CALM,
          "1.2.3.4:" + i,
          "too many streams are reset");
    }
    loop.advance(Duration.ofSeconds(3));
    errors.onRequestRefused(PeerErrors.Side.APP, "1.2.3.4:5", "te is not trailers");
    loop.advance(Duration.ofSeconds(1));

    assertThat(told())
        .containsExactly(
            "PEER_ERROR: connection of app 1.2.3.4:99 ended: too many streams are reset"
                + " (and 99 more errors of peers)",
            "PEER_ERROR: request of app 1.2.3.4:5 refused: te is not trailers");
  }
}
