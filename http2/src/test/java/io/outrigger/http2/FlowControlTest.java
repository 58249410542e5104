package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static io.outrigger.http2.Messages.TRAILERS;
import static io.outrigger.http2.Messages.text;
import static io.outrigger.http2.testing.Frames.END_STREAM;
import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.reset;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class FlowControlTest {
  private static final int WINDOW_SETTING = FrameType.SETTINGS_INITIAL_WINDOW_SIZE;

  @Test
  void dataWaitsForTheWindowOfItsStreamAndTrailersWaitForData() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(WINDOW_SETTING, 4), wholeRequest(1));
      RecordingStream served = peer.events.stream(0);
      served.stream().sendHeaders(OK, false);
      served.stream().sendData(text("0123456789"), false);
      served.stream().sendHeaders(TRAILERS, true);

      assertThat(peer.answer()).isEqualTo("SETTINGS ack, HEADERS 1, DATA 1 (4)");
      assertThat(served.sent).isEqualTo(4);
      assertThat(served.stream().pendingBytes()).isEqualTo(6);
      assertThat(served.stream().isOpenForSending()).isFalse();

      peer.send(windowUpdate(1, 5));
      assertThat(peer.answer()).isEqualTo("DATA 1 (5)");
      peer.send(windowUpdate(1, 1));
      assertThat(peer.answer()).isEqualTo("DATA 1 (1), HEADERS 1 end");
      assertThat(served.sent).isEqualTo(10);
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  @Test
  void trailersNeedNotWaitForDataThatIsDropped() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(WINDOW_SETTING, 4), wholeRequest(1));
      Http2Stream served = peer.events.stream(0).stream();
      served.sendHeaders(OK, false);
      served.sendData(text("0123456789"), false);
      served.dropPending();
      served.sendHeaders(TRAILERS, true);

      assertThat(peer.answer()).isEqualTo("SETTINGS ack, HEADERS 1, DATA 1 (4), HEADERS 1 end");
      assertThat(peer.connection.activeStreams()).isZero();

      peer.send(wholeRequest(3));
      Http2Stream ended = peer.events.stream(1).stream();
      ended.sendHeaders(OK, false);
      ended.sendData(text("01234567"), true);
      ended.dropPending(); // drops the END_STREAM behind the DATA, too
      ended.sendHeaders(TRAILERS, true);
      assertThat(peer.answer()).isEqualTo("HEADERS 3, DATA 3 (4), HEADERS 3 end");
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  @Test
  void aLoweredInitialWindowMakesWindowsNegative() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(WINDOW_SETTING, 10), wholeRequest(1));
      Http2Stream served = peer.events.stream(0).stream();
      served.sendHeaders(OK, false);
      served.sendData(text("0123456789abc"), true);
      assertThat(peer.answer()).endsWith("DATA 1 (10)");

      peer.send(settings(WINDOW_SETTING, 3)); // the window is -7 now
      peer.send(windowUpdate(1, 7));
      assertThat(peer.answer()).isEqualTo("SETTINGS ack");
      peer.send(windowUpdate(1, 1));
      assertThat(peer.answer()).isEqualTo("DATA 1 (1)");
      peer.send(settings(WINDOW_SETTING, 100));
      assertThat(peer.answer()).isEqualTo("SETTINGS ack, DATA 1 (2) end");
    }
  }

  @Test
  void aStreamThatIsResetLeavesTheLineThoughTheConnectionsWindowIsClosed() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(WINDOW_SETTING, 100_000), wholeRequest(1), wholeRequest(3));
      for (int i = 0; i < 2; i++) {
        Http2Stream served = peer.events.stream(i).stream();
        served.sendHeaders(OK, false);
        served.sendData(text("x".repeat(70_000)), true);
      }
      var unused = peer.answer();
      assertThat(peer.connection.scheduler.queuedStreams()).isEqualTo(2);
      try (RawPeer other = RawPeer.client()) {
        assertThat(other.connection.scheduler.queuedStreams()).isZero();
      }

      peer.send(reset(3, Http2Error.CANCEL));

      assertThat(peer.connection.scheduler.queuedStreams()).isEqualTo(1);
      peer.send(windowUpdate(0, 100_000));
      assertThat(peer.answer()).endsWith("end");
    }
  }

  @Test
  void endOfStreamNeedsNoWindow() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(WINDOW_SETTING, 0), wholeRequest(1), wholeRequest(3));
      for (int i = 0; i < 2; i++) {
        peer.events.stream(i).stream().sendHeaders(OK, false);
      }
      peer.events.stream(0).stream().sendData(Unpooled.EMPTY_BUFFER, true);
      peer.events.stream(1).stream().sendHeaders(TRAILERS, true);

      assertThat(peer.answer())
          .isEqualTo("SETTINGS ack, HEADERS 1, HEADERS 3, DATA 1 (0) end, HEADERS 3 end");
    }
  }

  @Test
  void streamsTakeTurnsWhenTheConnectionsWindowOpens() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(WINDOW_SETTING, 1 << 20));
      for (int id = 1; id <= 5; id += 2) {
        peer.send(wholeRequest(id));
        Http2Stream served = peer.events.stream(id / 2).stream();
        served.sendHeaders(OK, false);
        served.sendData(Unpooled.wrappedBuffer(new byte[65_535]), false);
      }
      assertThat(peer.events.stream(0).sent).isEqualTo(65_535);
      var unused = peer.read();

      peer.send(windowUpdate(0, 40_000));
      assertThat(peer.answer()).isEqualTo("DATA 3 (16384), DATA 5 (16384), DATA 3 (7232)");
    }
  }

  @Test
  void creditIsReturnedAtHalfAWindowAndOnlyAfterItWasConsumed() {
    var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(1000, 1000, 65_535));
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(request(1), data(1, 0, new byte[900]));
      RecordingStream served = peer.events.stream(0);
      assertThat(peer.answer()).isEmpty();

      served.stream().consumed(499);
      peer.channel.runPendingTasks();
      assertThat(peer.answer()).isEmpty();
      served.stream().consumed(1);
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 1 500");
      served.stream().consumed(400);
      served.held = 0;
      peer.send(data(1, 0, new byte[600]));
      assertThat(peer.answer()).isEmpty();
    }
  }

  @Test
  void aFinishedStreamGetsNoCredit() {
    var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(70_000, 70_000, 65_535));
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(request(1));
      peer.send(PeerErrorTest.manyData(1, 40_000));
      RecordingStream served = peer.events.stream(0);
      assertThat(peer.answer()).startsWith("WINDOW_UPDATE 0 ");

      served.stream().reset(Http2Error.CANCEL);
      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 CANCEL");
      served.release(); // too late, but without effect
      served.stream().sendHeaders(OK, false);
      served.stream().sendData(text("late"), true);
      served.stream().reset(Http2Error.CANCEL);
      assertThat(peer.answer()).isEmpty();
    }
  }

  /**
   * The window is quadrupled whenever half of it was consumed, within the limit of the connection's
   * window.
   */
  @Test
  void theWindowOfAStreamGrowsWhileItsDataGoesOn() {
    var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(1000, 100_000, 65_535));
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(request(1), request(3), data(1, 0, new byte[1000]), data(3, 0, new byte[1000]));
      assertThat(peer.answer()).isEmpty();

      peer.events.stream(0).release();
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 1 4000");
      peer.send(data(1, 0, new byte[4000]));
      peer.events.stream(0).release();
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 1 16000");
      peer.send(data(1, 0, new byte[16_000]));
      peer.events.stream(0).release();
      // The window is 63,000 bytes larger than at first.
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 1 64000");

      peer.events.stream(1).release();
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 3 3535");
      peer.events.stream(0).stream().reset(Http2Error.CANCEL);
      peer.send(data(3, 0, new byte[2000]));
      peer.events.stream(1).release();
      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 CANCEL, WINDOW_UPDATE 3 12605");
    }
  }

  @Test
  void noWindowGrowsWhileMemoryIsShort() {
    var settings =
        ConnectionSettings.DEFAULT
            .withWindows(new Windows(1000, 100_000, 65_535))
            .withMemory(new FakeMemory().shortOf());
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(request(1), data(1, 0, new byte[1000]));

      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 1 1000");
    }
  }

  @Test
  void aSmallerWindowThanTheFirstHoldsFromItsAcknowledgementOn() {
    var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(1000, 1000, 65_535));
    try (RawPeer peer = RawPeer.silentClient(settings)) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(Frames.PREFACE, settings(), request(1));
      peer.send(PeerErrorTest.manyData(1, 20_000)); // allowed: our SETTINGS may be in flight
      assertThat(peer.answer()).isEqualTo("SETTINGS, SETTINGS ack");

      RecordingStream served = peer.events.stream(0);
      served.stream().consumed(20_000);
      served.held = 0;
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 1 20000");
      peer.send(Frames.settingsAck(), data(1, 0, new byte[1000]));
      assertThat(served.held).isEqualTo(1000);
      peer.send(data(1, 0, new byte[1]));
      assertThat(peer.answer()).startsWith("RST_STREAM 1 FLOW_CONTROL_ERROR");
    }
  }

  @Test
  void dataThatWaitsWhenItsStreamIsResetIsDropped() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(WINDOW_SETTING, 4), wholeRequest(1), wholeRequest(3));
      for (RecordingStream served : peer.events.streams) {
        served.stream().sendHeaders(OK, false);
        served.stream().sendData(peer.buffers.copy(new byte[100]), false);
        served.stream().sendData(peer.buffers.copy(new byte[5000]), false);
        served.stream().sendHeaders(TRAILERS, true);
      }
      var unused = peer.read();
      peer.events.stream(0).stream().reset(Http2Error.CANCEL);
      peer.send(Frames.reset(3, Http2Error.CANCEL), windowUpdate(1, 9), windowUpdate(3, 9));

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 CANCEL");
      assertThat(peer.events.stream(1).story()).isEqualTo("headers+end reset by peer CANCEL");
    }
  }

  @Test
  void paddingIsReturnedByTheConnectionItself() {
    var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(400, 400, 65_535));
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.events.onStream = stream -> stream.holds = true;
      byte[] padded = new byte[1 + 3 + 200];
      padded[0] = (byte) 200;
      peer.send(request(1), data(1, FrameType.FLAG_PADDED, padded));

      assertThat(peer.events.stream(0).held).isEqualTo(3);
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 1 201");
    }
  }

  @Test
  void dataGoesOnBeforeItsFrameIsComplete() {
    try (RawPeer peer = RawPeer.client()) {
      byte[] frame = data(1, END_STREAM, new byte[100]);
      peer.send(request(1), Arrays.copyOf(frame, 9 + 60));
      RecordingStream served = peer.events.stream(0);
      assertThat(served.content.size()).isEqualTo(60);
      assertThat(served.ended).isFalse();

      peer.send(Arrays.copyOfRange(frame, 9 + 60, frame.length));
      assertThat(served.content.size()).isEqualTo(100);
      assertThat(served.ended).isTrue();
    }
  }

  @Test
  void aFullSocketStopsDataAndAFreeOneLetsItGoOn() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(WINDOW_SETTING, 1 << 24), windowUpdate(0, 1 << 24));
      peer.send(wholeRequest(1), wholeRequest(3));
      var unused = peer.read();
      var socket = new FullSocket();
      peer.channel.pipeline().addFirst(socket);
      RecordingStream large = peer.events.stream(0);
      RecordingStream small = peer.events.stream(1);
      large.stream().sendHeaders(OK, false);
      large.stream().sendData(Unpooled.wrappedBuffer(new byte[1 << 20]), true);
      small.stream().sendHeaders(OK, false);
      small.stream().sendData(text("small"), true);
      peer.channel.runPendingTasks();
      assertThat(large.sent).isBetween(200 << 10, 300 << 10);
      assertThat(large.sent + large.stream().pendingBytes()).isEqualTo(1 << 20);
      assertThat(small.sent).isZero();

      socket.open();
      assertThat(large.sent).isEqualTo(1 << 20);
      assertThat(small.sent).isEqualTo(5);
      List<Frame> frames = peer.read();
      assertThat(frames).last().hasToString("DATA 1 (16384) end");
      assertThat(frames.indexOf(small(frames))).isLessThan(30);
    }
  }

  private static Frame small(List<Frame> frames) {
    return frames.stream().filter(frame -> frame.payload().length == 5).findFirst().orElseThrow();
  }

  @Test
  void aPeerThatAsksAndNeverReadsLosesItsConnection() {
    var limits = new AbuseLimits(Duration.ofSeconds(30), 10_000, 1 << 30, 64, 300 << 10);
    try (RawPeer peer = RawPeer.client(ConnectionSettings.DEFAULT.withAbuse(limits))) {
      peer.channel.pipeline().addFirst(new FullSocket());
      byte[] pings = Frames.repeat(1000, ping(1));
      for (int i = 0; i < 100 && !peer.events.events.contains("closed"); i++) {
        peer.send(pings);
      }

      assertThat(peer.channel.unsafe().outboundBuffer().totalPendingWriteBytes())
          .isLessThan(500 << 10);
      peer.advance(Duration.ofSeconds(1)); // the GOAWAY cannot be written either
      assertThat(peer.events.events).containsExactly("ready", "closed: peer does not read");
    }
  }

  /** A socket that accepts no byte until it is opened. */
  private static final class FullSocket extends ChannelOutboundHandlerAdapter {
    private boolean open;
    private @Nullable ChannelHandlerContext ctx;

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      ctx = context;
    }

    @Override
    public void flush(ChannelHandlerContext context) {
      if (open) {
        context.flush();
      }
    }

    void open() {
      open = true;
      if (ctx != null) {
        ctx.flush();
        ((EmbeddedChannel) ctx.channel()).runPendingTasks();
      }
    }
  }

  @Test
  void oneStalledStreamOfAHundredDelaysNoOther() {
    var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(70_000, 70_000, 1 << 20));
    try (Wire wire = Wire.open(settings, settings)) {
      wire.serverEvents.onStream = stream -> stream.holds = wire.serverEvents.streams.size() == 1;
      for (int i = 0; i < 100; i++) {
        RecordingStream call = wire.request(POST, false);
        call.stream().sendData(Unpooled.wrappedBuffer(new byte[200_000]), true);
      }
      wire.run();

      assertThat(wire.serverEvents.stream(0).content.size()).isEqualTo(70_000);
      assertThat(wire.serverEvents.streams.subList(1, 100))
          .allSatisfy(stream -> assertThat(stream.content.size()).isEqualTo(200_000))
          .allSatisfy(stream -> assertThat(stream.ended).isTrue());

      wire.serverEvents.stream(0).holds = false;
      wire.serverEvents.stream(0).release();
      wire.run();
      assertThat(wire.serverEvents.stream(0).content.size()).isEqualTo(200_000);
      assertThat(wire.serverEvents.stream(0).ended).isTrue();
    }
  }

  @Test
  void frequentSmallWritesLeaveWithOneFlushAtTheEndOfTheTurn() {
    try (RawPeer peer = RawPeer.client()) {
      for (int id = 1; id < 40; id += 2) {
        peer.send(wholeRequest(id));
        var unused = peer.read();
      }
      for (RecordingStream served : peer.events.streams) {
        served.stream().sendHeaders(OK, false);
        served.stream().sendData(text("small"), false);
        served.stream().sendHeaders(TRAILERS, true);
      }
      peer.channel.runPendingTasks();

      assertThat(peer.channel.outboundMessages()).hasSize(1);
      assertThat(peer.read()).hasSize(60);
    }
  }
}
