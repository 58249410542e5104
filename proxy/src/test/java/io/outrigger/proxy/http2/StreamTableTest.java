package io.outrigger.proxy.http2;

import static io.outrigger.proxy.testing.http2.Frames.wholeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Connections without a stream have one map of streams together, which stays empty. */
final class StreamTableTest {
  private static final HeaderList OK = HeaderList.builder(1).add(KnownName.STATUS, "200").build();

  private static void answer(RawPeer peer, int call) {
    peer.events.stream(call).stream().sendHeaders(OK, true);
  }

  @Test
  void nobodySeesTheStreamsOfAnotherConnection() {
    try (RawPeer peer = RawPeer.client();
        RawPeer idle = RawPeer.client()) {
      peer.send(wholeRequest(1));
      assertThat(peer.connection.activeStreams()).isEqualTo(1);
      assertThat(idle.connection.activeStreams()).isZero();
      assertThat(new StreamTable(false).snapshot()).isEmpty();

      answer(peer, 0);
      assertThat(peer.connection.activeStreams()).isZero();
      idle.send(wholeRequest(1));
      assertThat(peer.connection.activeStreams()).isZero();
      assertThat(idle.connection.activeStreams()).isEqualTo(1);
    }
  }

  @Test
  void secondsWithAndWithoutStreamsMayFollowEachOther() {
    try (RawPeer peer = RawPeer.client()) {
      for (int call = 0; call < 3; call++) {
        peer.send(wholeRequest(2 * call + 1));
        peer.advance(Duration.ofSeconds(1)); // looks at a map with a stream
        assertThat(peer.connection.activeStreams()).isEqualTo(1);

        answer(peer, call);
        peer.advance(Duration.ofSeconds(1)); // and at one without
        assertThat(peer.answer()).startsWith("HEADERS " + (2 * call + 1));
        assertThat(peer.connection.activeStreams()).isZero();
      }
    }
  }
}
