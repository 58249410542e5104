package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.Http2Error;
import io.outrigger.http2.PeerErrors;
import io.outrigger.observe.events.Event;
import io.outrigger.observe.events.EventLog;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerErrorWatchTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final PeerErrors errors = new PeerErrors();
  private final EventLog events = new EventLog(loop);

  @Test
  void aFloodIsOneEventASecond() {
    loop.inside(() -> new PeerErrorWatch(loop, errors, events).start());
    for (int i = 0; i < 100; i++) {
      errors.onConnectionEnded(
          true, Http2Error.ENHANCE_YOUR_CALM, "1.2.3.4:" + i, "too many streams are reset");
    }
    loop.advance(Duration.ofSeconds(3));
    errors.onRequestRefused("1.2.3.4:5", "te is not trailers");
    loop.advance(Duration.ofSeconds(1));

    List<Event> told = new ArrayList<>();
    loop.inside(() -> told.addAll(events.after(0, 10).events()));

    assertThat(told)
        .extracting(event -> event.kind() + ": " + ((Event.Line) event.cause()).text())
        .containsExactly(
            "PEER_ERROR: connection of app 1.2.3.4:99 ended: too many streams are reset"
                + " (and 99 more errors of peers)",
            "PEER_ERROR: request of app 1.2.3.4:5 refused: te is not trailers");
  }
}
