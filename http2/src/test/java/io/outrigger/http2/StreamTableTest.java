package io.outrigger.http2;

import static io.outrigger.http2.Messages.POST;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.reset;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The number of a connection's open streams, and the state of closed ones. */
final class StreamTableTest {
  private static final HeaderList OK = HeaderList.builder(1).add(KnownName.STATUS, "200").build();
  private static final Duration TICK = Duration.ofSeconds(1);

  private final ConnectionSettings settings = ConnectionSettings.DEFAULT;

  private static void request(RawPeer peer, int streams) {
    for (int i = 0; i < streams; i++) {
      peer.send(wholeRequest(2 * i + 1));
    }
  }

  @Test
  void aStreamCountsBeforeAndAfterItHasItsNumber() {
    try (RawPeer peer = RawPeer.server(settings)) {
      RecordingStream numbered = peer.open(POST, true);
      Http2Stream unnumbered = peer.connection.openStream(new RecordingStream());

      assertThat(numbered.stream().id()).isEqualTo(1);
      assertThat(unnumbered).extracting(s -> ((SocketStream) s).id()).isEqualTo(0);
      assertThat(peer.connection.activeStreams()).isEqualTo(2);
    }
  }

  @Test
  void allStreamsThatEverBeganAreCounted() {
    try (RawPeer peer = RawPeer.client(settings)) {
      request(peer, 3);
      peer.send(reset(3, Http2Error.CANCEL));

      assertThat(peer.connection.view(1).streams().started()).isEqualTo(3);
    }
  }

  /** A stream that has no id yet needs an id, like the streams that have one. */
  @Test
  void theLastNumberIsGivenToOneStreamOnly() {
    try (RawPeer peer = RawPeer.server(settings)) {
      peer.connection.table.nextLocalId = Integer.MAX_VALUE;
      assertThat(peer.connection.streams.canOpen()).isTrue();
      assertThat(peer.connection.openStream(new RecordingStream())).isNotNull();

      assertThat(peer.connection.streams.canOpen()).isFalse();
    }
  }

  @Test
  void aCrowdThatIsStillThereKeepsItsMap() {
    try (RawPeer peer = RawPeer.client(settings)) {
      request(peer, 65);
      var unused = peer.read();

      peer.advance(TICK);

      assertThat(peer.connection.activeStreams()).isEqualTo(65);
      peer.events.stream(64).stream().sendHeaders(Messages.OK, true);
      assertThat(peer.answer()).isEqualTo("HEADERS 129 end");
      assertThat(peer.connection.activeStreams()).isEqualTo(64);
    }
  }

  /**
   * RFC 9113 section 5.1: the response to a frame on a closed stream depends on how the stream was
   * closed.
   */
  @ParameterizedTest
  @CsvSource({"1, PROTOCOL_ERROR", "3, STREAM_CLOSED", "1025, STREAM_CLOSED"})
  void theLast512ThatWereClosedAreRememberedAndNoMore(int id, String error) {
    try (RawPeer peer = RawPeer.client(settings)) {
      for (int i = 0; i < 513; i++) {
        peer.send(wholeRequest(2 * i + 1), reset(2 * i + 1, Http2Error.CANCEL));
      }

      peer.send(wholeRequest(id));

      assertThat(peer.answer()).isEqualTo("GOAWAY 1025 " + error);
    }
  }

  /** While all closed streams are remembered, it is known that this stream was never open. */
  @ParameterizedTest
  @CsvSource({"511, RST_STREAM 1 STREAM_CLOSED", "512, RST_STREAM 1 STREAM_CLOSED", "513, ''"})
  void dataOnAStreamThatWasPassedOverIsRefusedUnlessItMayHaveBeenReset(int closed, String answer) {
    try (RawPeer peer = RawPeer.client(settings)) {
      for (int id = 3; id <= 2 * closed + 1; id += 2) {
        peer.send(wholeRequest(id), reset(id, Http2Error.CANCEL));
      }

      peer.send(data(1, 0, (byte) 1));

      assertThat(peer.answer()).isEqualTo(answer);
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void theNumberThatComesNextIsIdleAndTheOneBeforeIsNot() {
    try (RawPeer peer = RawPeer.server(settings)) {
      peer.open(POST, true).stream().reset(Http2Error.CANCEL);
      peer.send(windowUpdate(1, 1), ping(1));
      assertThat(peer.answer()).isEqualTo("HEADERS 1 end, RST_STREAM 1 CANCEL, PING ack");

      peer.send(windowUpdate(3, 1), ping(1));
      assertThat(peer.answer()).isEqualTo("GOAWAY 0 PROTOCOL_ERROR");
    }
  }

  @Test
  void noNumberOfOursIsIdleWhenAllAreUsedUp() {
    try (RawPeer peer = RawPeer.server(settings)) {
      peer.connection.table.nextLocalId = Integer.MAX_VALUE;
      peer.open(POST, true);
      var unused = peer.read();

      peer.send(reset(Integer.MAX_VALUE - 2, Http2Error.CANCEL), ping(1));

      assertThat(peer.answer()).isEqualTo("PING ack");
    }
  }

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
        peer.advance(Duration.ofSeconds(1)); // a tick while the map has a stream
        assertThat(peer.connection.activeStreams()).isEqualTo(1);

        answer(peer, call);
        peer.advance(Duration.ofSeconds(1)); // a tick while the map is empty
        assertThat(peer.answer()).startsWith("HEADERS " + (2 * call + 1));
        assertThat(peer.connection.activeStreams()).isZero();
      }
    }
  }
}
