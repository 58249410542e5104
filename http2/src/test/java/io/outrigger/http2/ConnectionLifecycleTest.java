package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static io.outrigger.http2.Messages.TRAILERS;
import static io.outrigger.http2.Messages.text;
import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.frame;
import static io.outrigger.http2.testing.Frames.goAway;
import static io.outrigger.http2.testing.Frames.headers;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.reset;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.outrigger.http2.ConnectionSettings.Timeouts;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Start, drain and end of a connection, and the events that handlers receive. */
final class ConnectionLifecycleTest {
  private static final int MAX_STREAMS = FrameType.SETTINGS_MAX_CONCURRENT_STREAMS;

  @Test
  void aRequestBehindThePrefaceIsServedBeforeSettingsAreAcknowledged() {
    try (RawPeer peer = RawPeer.silentClient(ConnectionSettings.DEFAULT)) {
      peer.send(Frames.join(Frames.PREFACE, settings(), wholeRequest(1)));

      assertThat(peer.events.stream(0).story()).isEqualTo("headers+end");
      assertThat(peer.answer()).isEqualTo("SETTINGS, WINDOW_UPDATE 0 16711681, SETTINGS ack");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
        "POST /s/m HTTP/1.0\r\n",
        "PRI * HTTP/1.1\r\n\r\n"
      })
  @Conformance("SC-01")
  void aClientThatSpeaksHttp1GetsAnAnswerItUnderstands(String request) {
    try (RawPeer peer = RawPeer.silentClient(ConnectionSettings.DEFAULT)) {
      for (byte b : request.getBytes(StandardCharsets.US_ASCII)) {
        peer.send(new byte[] {b});
      }

      assertThat(peer.take().toString(StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 505 ")
          .endsWith("\r\n\r\nthis port speaks HTTP/2 with prior knowledge (h2c) only\n");
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).hasSize(1);
    }
  }

  @Test
  void aClientThatSpeaksHttp1GetsNoTextBehindTheFramesOfADrain() {
    try (RawPeer peer = RawPeer.silentClient(ConnectionSettings.DEFAULT)) {
      peer.connection.drain();
      assertThat(peer.answer()).startsWith("SETTINGS").contains("GOAWAY");

      peer.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

      assertThat(peer.take().readableBytes()).isZero();
      assertThat(peer.isOpen()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\u0016\u0003\u0001\u0002", "hello world", "PRI * HTTP/2.0\r\n\r\nXX", "\0"})
  @Conformance("SC-01")
  void otherBytesEndTheConnectionWithGoAway(String bytes) {
    try (RawPeer peer = RawPeer.silentClient(ConnectionSettings.DEFAULT)) {
      peer.send(bytes.getBytes(StandardCharsets.ISO_8859_1));

      assertThat(peer.answer()).endsWith("GOAWAY 0 PROTOCOL_ERROR").startsWith("SETTINGS");
      assertThat(peer.isOpen()).isFalse();
    }
  }

  @Test
  void theFirstFrameOfEitherSideIsSettings() {
    try (RawPeer peer = RawPeer.silentClient(ConnectionSettings.DEFAULT)) {
      peer.send(Frames.PREFACE, ping(1));
      assertThat(peer.answer()).endsWith("GOAWAY 0 PROTOCOL_ERROR");
    }
    try (RawPeer peer = RawPeer.silentServer()) {
      peer.send("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).containsExactly("closed: the first frame is not SETTINGS");
    }
  }

  @Test
  void aServerThatAcceptsButSaysNothingIsNotReadyAndGivenUpAfterTwentySeconds() {
    try (RawPeer peer = RawPeer.silentServer()) {
      peer.advance(Duration.ofSeconds(19));
      assertThat(peer.isOpen()).isTrue();
      assertThat(peer.connection.streams.canOpen()).isFalse();
      assertThat(peer.events.events).isEmpty();

      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).containsExactly("closed: no SETTINGS from the peer in time");
    }
  }

  @Test
  @Conformance("SC-49")
  void pingsAreAnsweredWithWhatTheyCarry() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(ping(0x0102030405060708L));

      Frame answer = peer.read().get(0);
      assertThat(answer).hasToString("PING ack");
      assertThat(answer.payload()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    }
  }

  @Test
  void unknownFramesAndPrioritiesAreIgnored() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(
          frame(0x99, 0xff, 7, new byte[300]),
          frame(FrameType.PRIORITY, 0, 9, new byte[5]),
          settings(0x99, 7),
          frame(
              FrameType.HEADERS,
              0x2d,
              1,
              Frames.join(
                  new byte[] {2, 0, 0, 0, 0, 9}, Frames.block(Frames.REQUEST), new byte[2])));

      assertThat(peer.answer()).isEqualTo("SETTINGS ack");
      assertThat(peer.events.stream(0).story()).isEqualTo("headers+end");
    }
  }

  @Test
  void streamsAboveTheLimitAreRefusedOneByOne() {
    try (RawPeer peer = RawPeer.client(ConnectionSettings.DEFAULT.withMaxConcurrentStreams(2))) {
      peer.send(request(1), request(3), request(5));
      assertThat(peer.answer()).isEqualTo("RST_STREAM 5 REFUSED_STREAM");

      peer.send(reset(1, Http2Error.CANCEL), data(5, END_STREAM), request(7));
      assertThat(peer.answer()).isEmpty();
      assertThat(peer.events.streams).hasSize(3);
    }
  }

  @Test
  void aDrainingServerFinishesWhatWasOnItsWay() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(wholeRequest(1));
      peer.connection.drain();
      assertThat(peer.answer()).isEqualTo("GOAWAY 2147483647 NO_ERROR, PING");

      peer.send(wholeRequest(3)); // sent before the peer has received the GOAWAY
      // Not the answer to our PING.
      peer.send(frame(FrameType.PING, FrameType.FLAG_ACK, 0, new byte[8]));
      assertThat(peer.answer()).isEmpty();
      peer.send(drainPingAck());
      assertThat(peer.answer()).isEqualTo("GOAWAY 3 NO_ERROR");

      peer.send(wholeRequest(5));
      assertThat(peer.answer()).isEqualTo("RST_STREAM 5 REFUSED_STREAM");
      for (RecordingStream served : peer.events.streams) {
        assertThat(peer.isOpen()).isTrue();
        served.stream().sendHeaders(OK, false);
        served.stream().sendHeaders(TRAILERS, true);
        peer.channel.runPendingTasks();
      }
      assertThat(peer.events.streams).hasSize(2);
      assertThat(peer.answer())
          .isEqualTo("HEADERS 1, HEADERS 1 end, HEADERS 3, HEADERS 3 end, GOAWAY 3 NO_ERROR");
      assertThat(peer.isOpen()).isFalse();
    }
  }

  /** A process exits as soon as no stream is left, also when an idle peer is stopped. */
  @Conformance("SC-44")
  @Test
  void aDrainingServerDoesNotWaitLongForThePeersPing() {
    try (RawPeer peer = RawPeer.client()) {
      peer.connection.drain();
      peer.advance(Duration.ofSeconds(1));

      assertThat(peer.answer()).endsWith("GOAWAY 0 NO_ERROR");
      assertThat(peer.isOpen()).isFalse();
    }
  }

  @Conformance({"SC-34", "SC-35"})
  @Test
  void afterGoAwayLowerStreamsFinishAndHigherOnesMayBeRetried() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      RecordingStream first = peer.open(POST, true);
      RecordingStream second = peer.open(POST, true);
      RecordingStream unsent = new RecordingStream();
      assertThat(peer.connection.openStream(unsent)).isNotNull();
      peer.send(goAway(1, Http2Error.NO_ERROR));

      assertThat(second.story()).isEqualTo("refused");
      assertThat(unsent.story()).isEqualTo("refused");
      assertThat(first.story()).isEmpty();
      assertThat(peer.connection.streams.canOpen()).isFalse();
      assertThat(peer.events.events).containsExactly("ready", "goaway 1 NO_ERROR");

      peer.send(headers(1, END_HEADERS | END_STREAM, ":status", "200", "grpc-status", "0"));
      assertThat(first.story()).isEqualTo("headers+end");
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).hasSize(3);
    }
  }

  @Conformance("SC-35")
  @Test
  void whoIsRefusedByGoAwayGetsNoNewStreamThere() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      List<Boolean> mayOpen = new ArrayList<>();
      Http2Stream refused =
          peer.connection.openStream(
              new RecordingStream() {
                @Override
                public void onConnectionLost(Refusal mayRetry, String reason) {
                  mayOpen.add(peer.connection.streams.canOpen());
                }
              });
      refused.sendHeaders(POST, true);

      peer.send(goAway(0, Http2Error.NO_ERROR));

      assertThat(mayOpen).containsExactly(false);
    }
  }

  @Conformance("SC-34")
  @Test
  void aGoAwayInOrderPassesStreamsOverAfterOthersAndRefusesThemWithoutOthers() {
    assertThat(lostBy(goAway(1, Http2Error.NO_ERROR)))
        .containsExactly("passed over", "passed over");
    assertThat(lostBy(goAway(1, Http2Error.ENHANCE_YOUR_CALM)))
        .containsExactly("refused", "passed over");
    assertThat(lostBy(goAway(0, Http2Error.NO_ERROR))).containsExactly("refused", "passed over");
  }

  /** The events of a second stream, and of a stream on which nothing was written. */
  private static List<String> lostBy(byte[] goAway) {
    List<String> heard = new ArrayList<>();
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.open(POST, true);
      for (boolean sent : new boolean[] {true, false}) {
        Http2Stream stream =
            peer.connection.openStream(
                new RecordingStream() {
                  @Override
                  public void onConnectionLost(Refusal refusal, String reason) {
                    heard.add(
                        switch (refusal) {
                          case NONE -> "lost";
                          case OF_CALL -> "refused";
                          case OF_CONNECTION -> "passed over";
                        });
                  }
                });
        if (sent) {
          stream.sendHeaders(POST, true);
        }
      }
      peer.send(goAway);
      return List.copyOf(heard);
    }
  }

  @Test
  void itIsKnownWhetherAPeerHasBegunAnyAnswer() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.open(POST, true);
      assertThat(peer.connection.hasAnswered()).isFalse();
      peer.send(headers(1, END_HEADERS, ":status", "103"));
      assertThat(peer.connection.hasAnswered()).isFalse();
      peer.send(headers(1, END_HEADERS, ":status", "200"));
      assertThat(peer.connection.hasAnswered()).isTrue();
      peer.send(headers(1, END_HEADERS | END_STREAM, "grpc-status", "0"));
      assertThat(peer.connection.hasAnswered()).isTrue();
    }
  }

  @Test
  void theServersLimitOfStreamsIsObeyed() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT, MAX_STREAMS, 1)) {
      RecordingStream first = peer.open(POST, true);
      assertThat(peer.connection.streams.canOpen()).isFalse();
      assertThat(peer.connection.openStream(new RecordingStream())).isNull();

      peer.send(headers(1, END_HEADERS | END_STREAM, ":status", "200"));
      assertThat(first.ended).isTrue();
      assertThat(peer.events.events).containsExactly("ready", "capacity");
      assertThat(peer.connection.streams.canOpen()).isTrue();
    }
  }

  @Test
  void aLimitOfZeroStreamsMayBeRaisedLater() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT, MAX_STREAMS, 0)) {
      assertThat(peer.connection.streams.canOpen()).isFalse();

      peer.send(settings(MAX_STREAMS, 3));
      assertThat(peer.events.events).containsExactly("ready", "capacity");
      assertThat(peer.open(POST, true).stream().id()).isEqualTo(1);
    }
  }

  @Test
  void eachSideEndsItsHalfForItself() {
    try (Wire wire = Wire.open()) {
      RecordingStream call = wire.request(POST, false);
      wire.run();
      RecordingStream served = wire.serverEvents.stream(0);
      served.stream().sendHeaders(OK, false);
      served.stream().sendData(text("early"), false);
      wire.run();
      assertThat(call.story()).isEqualTo("headers data");

      served.stream().sendHeaders(TRAILERS, true);
      wire.run();
      assertThat(call.story()).isEqualTo("headers data headers+end");
      assertThat(call.stream().isOpenForSending()).isTrue();
      call.stream().sendData(text("still here"), true);
      wire.run();
      assertThat(served.story()).isEqualTo("headers data+end");
      assertThat(wire.server.activeStreams() + wire.client.activeStreams()).isZero();
    }
  }

  @Test
  void theLastStreamIdEndsTheConnectionLikeAGoAway() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.connection.table.nextLocalId = Integer.MAX_VALUE;
      RecordingStream last = peer.open(POST, true);
      assertThat(last.stream().id()).isEqualTo(Integer.MAX_VALUE);
      assertThat(peer.connection.streams.canOpen()).isFalse();
      peer.channel.runPendingTasks();
      assertThat(peer.events.events).containsExactly("ready", "goaway max NO_ERROR");

      peer.send(headers(Integer.MAX_VALUE, END_HEADERS | END_STREAM, ":status", "200"));
      assertThat(last.ended).isTrue();
      assertThat(peer.isOpen()).isFalse();
    }
  }

  @Test
  void aSilentPeerIsAskedAndThenGivenUp() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.connection.keepAlive(Duration.ofSeconds(10), Duration.ofSeconds(2));
      peer.advance(Duration.ofSeconds(60));
      assertThat(peer.answer()).isEmpty(); // no stream is open

      RecordingStream call = peer.open(POST, true);
      assertThat(peer.answer()).isEqualTo("HEADERS 1 end");
      peer.advance(Duration.ofSeconds(1)); // A8: nothing was read for long enough
      assertThat(peer.answer()).isEqualTo("PING");
      peer.send(frame(FrameType.PING, FrameType.FLAG_ACK, 0, new byte[8]));
      peer.advance(Duration.ofSeconds(1));
      peer.advance(Duration.ofSeconds(9));
      assertThat(peer.answer()).isEmpty();
      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.answer()).isEqualTo("PING");
      peer.advance(Duration.ofSeconds(2));
      assertThat(call.story()).isEqualTo("lost");
      assertThat(peer.isOpen()).isFalse();
    }
  }

  @Test
  void streamsAreToldOfALostSocketBeforeTheConnection() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      RecordingStream call = peer.open(POST, false);
      var unused = peer.channel.close();

      assertThat(call.story()).isEqualTo("lost");
      assertThat(peer.events.events).containsExactly("ready", "closed: socket closed by the peer");
      call.stream().sendData(text("late"), true);
      call.stream().reset(Http2Error.CANCEL);
    }
  }

  @Test
  void aClientTellsThatItWantsNoPushAndAServerHowManyStreamsItTakes() {
    try (RawPeer ofClient = RawPeer.silentServer();
        RawPeer ofServer = RawPeer.silentClient(ConnectionSettings.DEFAULT)) {
      ofClient.take().skipBytes(Frames.PREFACE.length);
      ofServer.send(Frames.PREFACE);

      assertThat(settingsOf(ofClient.read().get(0)))
          .containsExactly("2=0", "4=1048576", "5=16384", "6=65536");
      assertThat(settingsOf(ofServer.read().get(0)))
          .containsExactly("3=10000", "4=1048576", "5=16384", "6=65536");
    }
  }

  private static List<String> settingsOf(Frame frame) {
    var payload = ByteBuffer.wrap(frame.payload());
    List<String> all = new ArrayList<>();
    while (payload.hasRemaining()) {
      all.add(payload.getShort() + "=" + payload.getInt());
    }
    return all;
  }

  /** Else a client that has just connected would report a failed connection, and fail its calls. */
  @Test
  @Conformance("A36-19")
  void aDrainBeforeThePrefaceServesWhatIsOnItsWay() {
    try (RawPeer peer = RawPeer.silentClient(ConnectionSettings.DEFAULT)) {
      peer.connection.drain();
      assertThat(peer.answer())
          .isEqualTo("SETTINGS, WINDOW_UPDATE 0 16711681, GOAWAY 2147483647 NO_ERROR, PING");

      peer.send(Frames.PREFACE, Frames.settings(), wholeRequest(1), drainPingAck());

      assertThat(peer.answer()).isEqualTo("SETTINGS ack, GOAWAY 1 NO_ERROR");
      assertThat(peer.events.streams).hasSize(1);
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  @Conformance("SC-44")
  void aDrainWaitsASecondForAPreface() {
    try (RawPeer peer = RawPeer.silentClient(ConnectionSettings.DEFAULT)) {
      peer.connection.drain();
      peer.advance(Duration.ofSeconds(1));

      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).containsExactly("closed: last stream has ended");
    }
  }

  @Test
  void aDrainingClientOpensNothingMoreAndClosesBehindItsLastStream() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.open(POST, true);
      peer.connection.drain();
      assertThat(peer.connection.streams.canOpen()).isFalse();
      assertThat(peer.answer()).isEqualTo("HEADERS 1 end");
      assertThat(peer.isOpen()).isTrue();

      peer.send(headers(1, END_HEADERS | END_STREAM, ":status", "200"));
      assertThat(peer.answer()).isEqualTo("GOAWAY 0 NO_ERROR");
      assertThat(peer.events.events).containsExactly("ready", "closed: last stream has ended");
    }
  }

  @Test
  void aGoAwayClosesAConnectionOnWhichNothingIsUnderWay() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.send(goAway(0, Http2Error.NO_ERROR));

      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events)
          .containsExactly("ready", "goaway 0 NO_ERROR", "closed: last stream has ended");
    }
  }

  @Test
  void keepAliveThatIsSetAnewTakesThePlaceOfTheOldOne() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.connection.keepAlive(Duration.ofSeconds(10), Duration.ofSeconds(2));
      peer.connection.keepAlive(Duration.ofSeconds(60), Duration.ofSeconds(2));
      peer.open(POST, true);

      peer.advance(Duration.ofSeconds(59));
      assertThat(peer.answer()).isEqualTo("HEADERS 1 end");
      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.answer()).isEqualTo("PING");
    }
  }

  /**
   * While the socket stays open for the GOAWAY, the peer must not cause us to hold memory or to do
   * work.
   */
  @Test
  void aConnectionThatLingersHasLetGoOfEverything() {
    try (RawPeer peer = RawPeer.clientAtSocket(ConnectionSettings.DEFAULT)) {
      peer.send(request(1));
      byte[] large = frame(FrameType.HEADERS, END_HEADERS, 3, new byte[12_000]);
      peer.send(Arrays.copyOf(large, 1_000));
      peer.connection.close(Http2Error.ENHANCE_YOUR_CALM, "enough");

      assertThat(peer.isOpen()).isTrue();
      assertThat(peer.answer()).isEqualTo("GOAWAY 1 ENHANCE_YOUR_CALM");
      assertThat(peer.events.stream(0).story()).isEqualTo("headers lost");
      assertThat(peer.events.endings).containsExactly("enough");
      assertThat(peer.events.events).containsExactly("ready");

      peer.send(Arrays.copyOfRange(large, 1_000, large.length), wholeRequest(5), ping(1));
      assertThat(peer.answer()).isEmpty();
      assertThat(peer.events.streams).hasSize(1);
      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.events.events).containsExactly("ready", "closed: enough");
    }
  }

  @Test
  void theTimeForTheHandshakeDoesNotCutShortWhatAPeerHasToHear() {
    var timeouts =
        new Timeouts(Duration.ofMillis(500), Duration.ofSeconds(30), Duration.ofSeconds(30));
    var settings = ConnectionSettings.DEFAULT.withTimeouts(timeouts);
    try (RawPeer peer = RawPeer.atSocket(true, settings)) {
      peer.send("hello".getBytes(StandardCharsets.US_ASCII));
      peer.advance(Duration.ofMillis(999));
      assertThat(peer.isOpen()).isTrue();

      peer.advance(Duration.ofMillis(1));
      assertThat(peer.isOpen()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"opening", "keepalive", "drain"})
  void aSocketThatIsClosedLeavesNoTimer(String which) {
    boolean opening = which.equals("opening");
    try (RawPeer peer = opening ? RawPeer.silentServer() : RawPeer.client()) {
      if (which.equals("keepalive")) {
        peer.connection.keepAlive(Duration.ofSeconds(10), Duration.ofSeconds(2));
      } else if (which.equals("drain")) {
        peer.send(request(1));
        peer.connection.drain();
      }
      var unused = peer.channel.pipeline().close();
      assertThat(peer.isOpen()).isFalse();

      peer.advance(Duration.ofSeconds(1)); // the last tick
      assertThat(peer.channel.runScheduledPendingTasks()).isEqualTo(-1);
    }
  }

  /** TLS may have to wait with its close_notify for a socket that accepts no bytes. */
  @Test
  void aSocketThatFailsIsNotUsedWhileItCloses() {
    var waits = new ClosesLater();
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.channel.pipeline().addFirst(waits);
      RecordingStream call = peer.open(POST, true);
      peer.channel.pipeline().fireExceptionCaught(new IOException("Connection reset"));

      assertThat(waits.asked).isEqualTo(1);
      assertThat(peer.connection.streams.canOpen()).isFalse();
      peer.send(headers(1, END_HEADERS | END_STREAM, ":status", "200"), ping(1));
      assertThat(call.story()).isEmpty();
      assertThat(peer.answer()).isEmpty();

      peer.channel.pipeline().remove(waits);
      var unused = peer.channel.pipeline().close();
      assertThat(call.story()).isEqualTo("lost");
      assertThat(peer.events.events).containsExactly("ready", "closed: connection reset by peer");
    }
  }

  /** Each buffer of the connection is counted, and each must be released. */
  @Test
  void whatWasNotFlushedIsGivenBackWhenTheSocketFails() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      RecordingStream call = peer.open(POST, true);
      peer.channel.pipeline().fireExceptionCaught(new IOException("Connection reset"));

      assertThat(call.story()).isEqualTo("lost");
      assertThat(peer.answer()).isEmpty();
      assertThat(peer.events.events).containsExactly("ready", "closed: connection reset by peer");
    }
  }

  /** Delays the close until the handler is removed and close is called again. */
  private static final class ClosesLater extends ChannelOutboundHandlerAdapter {
    int asked;

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
      asked++;
    }
  }

  private static byte[] drainPingAck() {
    byte[] opaque = {0x6f, 0x75, 0x74, 0x72, 0x69, 0x67, 0x67, 0x72};
    return frame(FrameType.PING, FrameType.FLAG_ACK, 0, opaque);
  }
}
