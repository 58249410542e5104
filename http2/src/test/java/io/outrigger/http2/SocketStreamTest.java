package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static io.outrigger.http2.Messages.TRAILERS;
import static io.outrigger.http2.Messages.list;
import static io.outrigger.http2.Messages.text;
import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.INITIAL_WINDOW_SIZE;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.goAway;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.requestWith;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The states of one stream, the order of its frames, and its counters. */
final class SocketStreamTest {
  private static SocketStream stream(RawPeer peer, int index) {
    return peer.events.stream(index).stream();
  }

  @Test
  void blocksAreDroppedWhenTheStreamHasSaidAll() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(request(1));
      stream(peer, 0).sendHeaders(OK, true);
      assertThat(peer.answer()).isEqualTo("HEADERS 1 end");

      stream(peer, 0).sendHeaders(Messages.list("grpc-status", "0"), true);
      assertThat(peer.answer()).isEmpty();
      stream(peer, 0).reset(Http2Error.CANCEL);
      stream(peer, 0).sendHeaders(Messages.list("grpc-status", "0"), true);
      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 CANCEL");
    }
  }

  @Test
  void trailersWaitBehindContent() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(INITIAL_WINDOW_SIZE, 0), wholeRequest(1));
      stream(peer, 0).sendHeaders(Messages.list(":status", "200"), false);
      stream(peer, 0).sendData(text("content"), false);
      stream(peer, 0).sendHeaders(Messages.list("grpc-status", "0"), true);
      assertThat(peer.answer()).isEqualTo("SETTINGS ack, HEADERS 1");

      peer.send(windowUpdate(1, 7));
      assertThat(peer.answer()).isEqualTo("DATA 1 (7), HEADERS 1 end");
    }
  }

  // Pending DATA that is dropped or taken.

  @Test
  void whatIsDroppedIsForgotten() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(INITIAL_WINDOW_SIZE, 0), request(1));
      SocketStream served = stream(peer, 0);
      served.sendHeaders(OK, false);
      served.sendData(text("content"), false);
      served.sendHeaders(TRAILERS, true);
      assertThat(served.isOpenForSending()).isFalse();

      served.dropPending();
      assertThat(served.pendingBytes()).isZero();
      assertThat(served.isOpenForSending()).isTrue();

      served.sendHeaders(list("grpc-status", "8"), true);
      assertThat(peer.answer()).isEqualTo("SETTINGS ack, HEADERS 1, HEADERS 1 end");
      peer.send(windowUpdate(1, 100));
      assertThat(peer.answer()).as("the trailers that were dropped").isEmpty();
    }
  }

  @Test
  void aHeadThatWaitsIsNotDroppedWithTheContent() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(wholeRequest(1));
      peer.socketTakes(false);
      stream(peer, 0).sendHeaders(OK, false);
      stream(peer, 0).sendData(text("content"), true);
      stream(peer, 0).dropPending();

      peer.socketTakes(true);
      assertThat(peer.answer()).isEqualTo("HEADERS 1");
      stream(peer, 0).sendHeaders(TRAILERS, true);
      assertThat(peer.answer()).isEqualTo("HEADERS 1 end");
    }
  }

  @Test
  void whatWasNotSentCanBeTakenAndIsNoLongerCounted() {
    try (var loose = new LooseStreams()) {
      SocketStream stream = loose.open(1);
      loose.socketTakes(false);
      long before = loose.streams.queuedBytes();
      stream.sendData(text("content"), false);
      assertThat(loose.streams.queuedBytes() - before).isEqualTo(7);
      assertThat(loose.streams.pendingBytes()).isEqualTo(7);

      PendingData unsent = stream.takeUnsent();

      assertThat(unsent.bytes()).isEqualTo(7);
      assertThat(loose.streams.queuedBytes()).isEqualTo(before);
      assertThat(loose.streams.pendingBytes()).isZero();
      assertThat(stream.pendingBytes()).isZero();
      assertThat(stream.takeUnsent().isEmpty()).as("taken once").isTrue();
      unsent.release();
    }
  }

  /** A call that is retried takes the DATA that its last attempt did not send. */
  @Test
  void whoseConnectionIsLostCanStillTakeWhatWasNotSent() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT, INITIAL_WINDOW_SIZE, 2)) {
      List<PendingData> unsent = new ArrayList<>();
      var call =
          new RecordingStream() {
            @Override
            public void onConnectionLost(Refusal refused, String reason) {
              super.onConnectionLost(refused, reason);
              unsent.add(stream().takeUnsent());
            }
          };
      call.stream = peer.connection.openStream(call);
      call.stream().sendHeaders(POST, false);
      call.stream().sendData(text("content"), true);
      var closing = peer.channel.close();

      assertThat(closing.isSuccess()).isTrue();
      assertThat(call.story()).isEqualTo("lost");
      ByteBuf rest = unsent.get(0).take(100);
      assertThat(rest.toString(StandardCharsets.UTF_8)).isEqualTo("ntent");
      rest.release();
      assertThat(unsent.get(0).isEmpty()).isTrue();
    }
  }

  @Test
  void whatWaitsOnAStreamThatEndsIsNoLongerPending() {
    try (var loose = new LooseStreams()) {
      SocketStream one = loose.open(1);
      SocketStream other = loose.open(3);
      loose.socketTakes(false);
      one.sendData(text("content"), false);
      other.sendData(text("more"), false);
      assertThat(loose.streams.pendingBytes()).isEqualTo(7 + 4);

      one.reset(Http2Error.CANCEL);

      assertThat(loose.streams.pendingBytes()).isEqualTo(4);
      assertThat(loose.streams.queuedBytes()).isEqualTo(POST.heapBytes() + 4);
    }
  }

  // Credit.

  @Test
  void whoReturnsMoreThanItHoldsIsStopped() {
    try (RawPeer peer = RawPeer.client()) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(request(1), data(1, 0, new byte[900]));
      SocketStream served = stream(peer, 0);

      served.consumed(500);
      assertThatThrownBy(() -> served.consumed(401))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("stream 1 returns 401 bytes, it holds 400");
      assertThatThrownBy(() -> served.consumed(-1)).isInstanceOf(IllegalStateException.class);
      served.consumed(0);
      served.consumed(400);
      assertThatThrownBy(() -> served.consumed(1)).isInstanceOf(IllegalStateException.class);
    }
  }

  // Content with a content-length.

  @Test
  void trailersMayFollowAsMuchContentAsWasPromised() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(requestWith(1, 0, "content-length", "3"), data(1, 0, new byte[3]));
      peer.send(headers(1, END_HEADERS | END_STREAM, "x-checksum", "1"));

      assertThat(peer.answer()).isEmpty();
      assertThat(peer.events.stream(0).story()).isEqualTo("headers data headers+end");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "3, false, false, headers data",
    "3, true,  false, headers data+end",
    "2, false, false, headers data",
    "2, true,  true,  headers reset PROTOCOL_ERROR",
    "4, false, true,  headers reset PROTOCOL_ERROR",
    "4, true,  true,  headers reset PROTOCOL_ERROR"
  })
  void contentIsAsMuchAsWasPromised(int bytes, boolean end, boolean wrong, String story) {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(requestWith(1, 0, "content-length", "3"));
      peer.send(data(1, end ? END_STREAM : 0, new byte[bytes]));

      assertThat(peer.events.stream(0).story()).isEqualTo(story);
      assertThat(peer.answer()).isEqualTo(wrong ? "RST_STREAM 1 PROTOCOL_ERROR" : "");
    }
  }

  @Test
  void nothingFollowsContentThatIsAsMuchAsWasPromised() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(requestWith(1, 0, "content-length", "3"), data(1, 0, new byte[3]));
      peer.send(data(1, 0));
      assertThat(peer.answer()).as("nothing more").isEmpty();

      peer.send(data(1, 0, new byte[1]));
      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 PROTOCOL_ERROR");
    }
  }

  // The end of a stream.

  @Test
  void aStreamThatIsResetAsItIsOfferedIsNotServed() {
    try (RawPeer peer = RawPeer.client()) {
      peer.events.onStream = offered -> offered.stream().reset(Http2Error.REFUSED_STREAM);
      peer.send(request(1), data(1, END_STREAM, new byte[3]));

      assertThat(peer.events.stream(0).story()).isEmpty();
      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 REFUSED_STREAM");
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  @Test
  void aConnectionMayEndAsAStreamIsOffered() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(request(1), request(3));
      peer.events.onStream =
          offered -> peer.connection.close(Http2Error.ENHANCE_YOUR_CALM, "enough");
      peer.send(request(5));

      assertThat(peer.answer()).isEqualTo("GOAWAY 5 ENHANCE_YOUR_CALM");
      assertThat(peer.events.streams)
          .extracting(RecordingStream::story)
          .containsExactly("headers lost", "headers lost", "");
      assertThat(peer.connection.activeStreams()).isZero();
      assertThat(peer.events.events).containsExactly("ready", "closed: enough");
    }
  }

  /** A stream is in the table before the layer above has set its handler. */
  @Test
  void aStreamThatNobodyServesYetEndsWithoutALastCall() {
    try (var loose = new LooseStreams()) {
      SocketStream lost = loose.streams.openByPeer(1, POST);
      List<StreamHandler> told = new ArrayList<>();

      loose.streams.lose(lost, told::add);

      assertThat(told).isEmpty();
      assertThat(lost.isGone()).isTrue();
      assertThat(loose.streams.table().active()).isZero();
    }
  }

  @Test
  void whoIsResetByAnotherOnesLastCallHearsNothing() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      var second = new RecordingStream();
      var first =
          new RecordingStream() {
            @Override
            public void onConnectionLost(Refusal refused, String reason) {
              super.onConnectionLost(refused, reason);
              second.stream().reset(Http2Error.CANCEL);
            }
          };
      for (RecordingStream call : List.of(first, second)) {
        call.stream = peer.connection.openStream(call);
        call.stream().sendHeaders(POST, false);
      }
      peer.send(goAway(0, Http2Error.INTERNAL_ERROR));

      assertThat(first.story()).isEqualTo("refused");
      assertThat(second.story()).isEmpty();
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }
}
