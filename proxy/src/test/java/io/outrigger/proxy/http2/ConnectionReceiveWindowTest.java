package io.outrigger.proxy.http2;

import static io.outrigger.proxy.testing.http2.Frames.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.proxy.testing.Pressure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a connection's credit that was kept for want of memory comes back. */
final class ConnectionReceiveWindowTest {
  private static final int BYTES = 48_000;

  private final Pressure memory = new Pressure().hold(60);
  private final ConnectionSettings settings =
      ConnectionSettings.DEFAULT.withWindows(60_000, 65_535).withMemory(memory.ledger);

  /** Who holds something again has a look at memory of its own, as late as any other. */
  @Test
  void aPeerOfWhichNothingIsHeldIsNotLookedAt() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(request(1));
      peer.send(PeerErrorTest.manyData(1, BYTES));
      peer.advance(Duration.ofMillis(50));
      peer.events.stream(0).release();
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 1 48000, WINDOW_UPDATE 0 48000");

      peer.advance(Duration.ofMillis(50)); // the look that was due
      peer.advance(Duration.ofMillis(50));
      peer.send(PeerErrorTest.manyData(1, BYTES));
      memory.hold(0);
      peer.advance(Duration.ofMillis(60));
      assertThat(peer.answer()).isEmpty();
      peer.advance(Duration.ofMillis(40));
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 0 48000");
    }
  }
}
