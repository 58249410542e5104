package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static io.outrigger.http2.Messages.TRAILERS;
import static io.outrigger.http2.Messages.list;
import static io.outrigger.http2.Messages.text;
import static io.outrigger.http2.testing.Frames.ping;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Calls over a whole connection, and the effects of reads, ends of turns and failures. */
final class Http2ConnectionTest {
  @Test
  void aUnaryCallPassesBothWays() {
    try (Wire wire = Wire.open()) {
      assertThat(wire.clientEvents.events).containsExactly("ready");
      assertThat(wire.serverEvents.events).containsExactly("ready");

      RecordingStream call = wire.request(POST, false);
      call.stream().sendData(text("question"), true);
      wire.run();
      RecordingStream served = wire.serverEvents.stream(0);
      assertThat(served.story()).isEqualTo("headers data+end");
      assertThat(served.headers.get(0)).hasToString(POST.toString());
      assertThat(served.text()).isEqualTo("question");

      served.stream().sendHeaders(OK, false);
      served.stream().sendData(text("answer"), false);
      served.stream().sendHeaders(TRAILERS, true);
      wire.run();
      assertThat(call.story()).isEqualTo("headers data headers+end");
      assertThat(call.headers.get(1)).hasToString(TRAILERS.toString());
      assertThat(call.text()).isEqualTo("answer");
      assertThat(call.sent).isEqualTo(8);
      assertThat(wire.client.activeStreams()).isZero();
      assertThat(wire.server.activeStreams()).isZero();
    }
  }

  @Test
  void aHeaderListLargerThanAFramePassesInPieces() {
    try (Wire wire = Wire.open()) {
      HeaderList large = list(":status", "200", "x-large", "large".repeat(8000), "x-next", "small");
      RecordingStream call = wire.request(POST, true);
      wire.run();
      wire.serverEvents.stream(0).stream().sendHeaders(large, false);
      wire.serverEvents.stream(0).stream().sendHeaders(TRAILERS, true);
      wire.run();

      assertThat(call.story()).isEqualTo("headers headers+end");
      assertThat(call.headers.get(0)).hasToString(large.toString());
      assertThat(call.headers.get(1)).hasToString(TRAILERS.toString());
    }
  }

  @Test
  void anInterimResponsePrecedesTheFinalOne() {
    try (Wire wire = Wire.open()) {
      RecordingStream call = wire.request(POST, false);
      wire.run();

      Http2Stream served = wire.serverEvents.stream(0).stream();
      served.sendHeaders(list(":status", "103", "link", "</x>"), false);
      served.sendHeaders(OK, true);
      wire.run();

      assertThat(call.story()).isEqualTo("headers headers+end");
    }
  }

  @Test
  void itsLoopAndItsPeerAreThoseOfItsChannel() {
    try (RawPeer peer = RawPeer.client()) {
      assertThat(peer.connection.eventLoop()).isSameAs(peer.channel.eventLoop());
      assertThat(peer.connection.remoteAddress())
          .isNotNull()
          .isEqualTo(peer.channel.remoteAddress());
      assertThat(peer.connection).hasToString("server " + peer.channel);
    }
  }

  /** DATA in small pieces is copied; 64 KiB of DATA fill the buffer of the connection. */
  @Test
  void whatDidNotFitIntoABufferFollowsInTheSameTurn() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(Frames.INITIAL_WINDOW_SIZE, 0), windowUpdate(0, 1 << 20));
      for (int i = 0; i < 100; i++) {
        peer.send(wholeRequest(2 * i + 1));
        Http2Stream served = peer.events.stream(i).stream();
        served.sendHeaders(OK, false);
        served.sendData(peer.buffers.copy(new byte[2_000]), true);
      }
      var unused = peer.read();

      peer.send(settings(Frames.INITIAL_WINDOW_SIZE, 2_000));

      assertThat(peer.read()).hasSize(101).last().hasToString("DATA 199 (2000) end");
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  /** A client that has sent 20,000 PING frames and whose socket accepts no bytes. */
  private static RawPeer unread(int unsentBytes) {
    var limits = new AbuseLimits(Duration.ofSeconds(30), 10_000, 1 << 30, 64, unsentBytes);
    RawPeer peer = RawPeer.client(ConnectionSettings.DEFAULT.withAbuse(limits));
    peer.channel.pipeline().addFirst(new FullSocket());
    peer.send(Frames.repeat(20_000, ping(1)));
    return peer;
  }

  /** A socket that accepts no byte. */
  private static final class FullSocket extends ChannelOutboundHandlerAdapter {
    @Override
    public void flush(ChannelHandlerContext ctx) {}
  }

  /**
   * Behaves like a TCP reset: the channel is closed during a flush, and the event follows later.
   */
  @Test
  void aSocketThatIsClosedIsNotTakenForAPeerThatDoesNotRead() {
    try (RawPeer peer = RawPeer.client()) {
      peer.channel.pipeline().addFirst(new ClosesAtFlush());
      peer.send(request(1), ping(1));

      assertThat(peer.events.events).containsExactly("ready", "closed: the connection was closed");
    }
  }

  private static final class ClosesAtFlush extends ChannelOutboundHandlerAdapter {
    @Override
    public void flush(ChannelHandlerContext ctx) {
      ctx.channel().unsafe().close(ctx.channel().newPromise());
    }
  }

  @Test
  void justAsMuchAsIsAllowedMayWaitForAPeerThatDoesNotRead() {
    int waits;
    try (RawPeer peer = unread(1 << 30)) {
      waits = (int) peer.channel.unsafe().outboundBuffer().totalPendingWriteBytes();
    }
    assertThat(waits).isGreaterThan(200_000);

    try (RawPeer peer = unread(waits)) {
      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.events.events).containsExactly("ready");
    }
    try (RawPeer peer = unread(waits - 1)) {
      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.events.events).containsExactly("ready", "closed: peer does not read");
    }
  }

  /** The log and the end of a connection when a request triggers {@code bug}. */
  private static List<String> told(String reason, Consumer<RecordingStream> bug) {
    var lines = new ListAppender<ILoggingEvent>();
    var logger = (Logger) LoggerFactory.getLogger(Http2Connection.class);
    lines.start();
    logger.setLevel(Level.DEBUG);
    logger.addAppender(lines);
    try (RawPeer peer = RawPeer.client()) {
      peer.events.onStream = bug;
      peer.send(request(1));

      assertThat(peer.answer()).isEqualTo("GOAWAY 1 INTERNAL_ERROR");
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).containsExactly("ready", "closed: " + reason);
    } finally {
      logger.detachAppender(lines);
      logger.setLevel(null);
    }
    return lines.list.stream()
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .toList();
  }

  @Test
  void aBugOfOursEndsTheConnectionAndIsAnErrorInTheLog() {
    Consumer<RecordingStream> bug =
        stream -> {
          throw new IllegalStateException("in a test");
        };

    assertThat(told("internal error", bug))
        .singleElement()
        .asString()
        .startsWith("ERROR server [id: ")
        .endsWith("]: closed because of a bug");
  }

  /** A peer can cause a lack of memory, and must not be able to fill the log with it. */
  @Test
  void wantOfMemoryEndsTheConnectionAndIsNoErrorInTheLog() {
    Consumer<RecordingStream> want =
        stream -> {
          throw new OutOfMemoryError("in a test");
        };

    assertThat(told("out of memory", want))
        .singleElement()
        .asString()
        .startsWith("DEBUG server [id: ")
        .endsWith("]: closed for lack of memory: in a test");
  }

  @Test
  void aBugAtTheEndOfATurnEndsTheConnectionToo() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT, Frames.INITIAL_WINDOW_SIZE, 0)) {
      var call =
          new RecordingStream() {
            @Override
            public void onDataSent(int bytes) {
              throw new IllegalStateException("in a test");
            }
          };
      Http2Stream stream = peer.connection.openStream(call);
      assertThat(stream).isNotNull();
      stream.sendHeaders(POST, false);
      stream.sendData(text("question"), false);

      peer.send(windowUpdate(1, 100));

      assertThat(peer.answer()).isEqualTo("HEADERS 1, DATA 1 (8), GOAWAY 0 INTERNAL_ERROR");
      assertThat(peer.isOpen()).isFalse();
      assertThat(call.story()).isEqualTo("lost");
      assertThat(peer.events.events).containsExactly("ready", "closed: internal error");
    }
  }

  /** TLS sends close_notify first, which may take time; the streams end without waiting for it. */
  @Test
  void aConnectionThatFailsWithoutAFarewellHasLostItsStreams() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT, Frames.INITIAL_WINDOW_SIZE, 0)) {
      ByteBufAllocator enough = peer.channel.config().getAllocator();
      var call =
          new RecordingStream() {
            @Override
            public void onDataSent(int bytes) {
              peer.channel.config().setAllocator(new Exhausted());
              throw new IllegalStateException("in a test");
            }
          };
      Http2Stream stream = peer.connection.openStream(call);
      assertThat(stream).isNotNull();
      stream.sendHeaders(POST, false);
      stream.sendData(peer.buffers.copy(new byte[3_000]), false);
      var socket = new SlowToClose();
      peer.channel.pipeline().addFirst(socket);
      peer.send(windowUpdate(1, 3_000));
      assertThat(socket.isAsked).isTrue();
      assertThat(peer.isOpen()).isTrue();

      peer.channel.config().setAllocator(enough);
      peer.send(ping(1));

      assertThat(peer.answer()).isEqualTo("HEADERS 1, DATA 1 (3000)");
      assertThat(call.story()).isEqualTo("lost");
    }
  }

  /** An allocator that has no buffer left. */
  private static final class Exhausted extends AbstractByteBufAllocator {
    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      throw new OutOfMemoryError("in a test");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      throw new OutOfMemoryError("in a test");
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  /** Ignores the first call of close. */
  private static final class SlowToClose extends ChannelOutboundHandlerAdapter {
    private boolean isAsked;

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
      if (isAsked) {
        ctx.close(promise);
      }
      isAsked = true;
    }
  }
}
