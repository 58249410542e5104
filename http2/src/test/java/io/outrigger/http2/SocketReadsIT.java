package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.Epoll;
import io.netty.util.ReferenceCountUtil;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.EventLoops.TransportKind;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.http2.testing.ScarceBuffers;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sockets that are readable while no buffers are available: no bytes are lost. */
@Timeout(120)
final class SocketReadsIT {
  private final ScarceBuffers buffers = new ScarceBuffers();

  private static void assumeWorks(TransportKind kind) {
    assumeThat(kind != TransportKind.EPOLL || Epoll.isAvailable()).isTrue();
  }

  private ChannelHandler withFewBuffers(ChannelHandler connection) {
    return new ChannelInitializer<Channel>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.config().setAllocator(buffers);
        if (connection instanceof FirstByte) {
          Http2Connection.prepareReads(channel);
        }
        channel.pipeline().addLast(connection);
      }
    };
  }

  private InetSocketAddress echo(Sockets sockets) {
    return sockets.listen(
        () ->
            withFewBuffers(
                Http2Connection.server(ConnectionSettings.DEFAULT, added -> new EchoHandler())));
  }

  private void awaitWaits() {
    int before = buffers.refused();
    Await.until("it is tried again", () -> buffers.refused() > before + 6);
  }

  @ParameterizedTest
  @EnumSource
  @Conformance("SC-38")
  void anAppThatFindsNoneIsReadWhenThereIsOneAgain(TransportKind kind) throws Exception {
    assumeWorks(kind);
    try (var sockets = new Sockets(kind, 1);
        var app = RawHttp2.open(echo(sockets))) {
      app.send(Frames.wholeRequest(1));
      app.await(frame -> frame.streamId() == 1 && frame.endsStream());

      buffers.most(0);
      app.send(Frames.windowUpdate(0, 1)); // needs no response
      awaitWaits();
      app.send(Frames.wholeRequest(3));
      awaitWaits();
      buffers.most(Integer.MAX_VALUE);

      assertThat(app.await(frame -> frame.streamId() == 3 && frame.endsStream())).isNotNull();
    }
  }

  @Test
  @Conformance("SC-38")
  void aBodyIsReadInSmallPartsWhereThereAreNoGreatOnes() throws Exception {
    try (var sockets = new Sockets(TransportKind.AUTO, 1);
        var app = RawHttp2.open(echo(sockets))) {
      app.send(Frames.request(1));
      app.await(frame -> frame.streamId() == 1);
      // Enough for the response, too little for the current size of read buffers.
      buffers.most(16_384);
      int refused = buffers.refused();
      int parts = 4;
      for (int i = 0; i < parts; i++) {
        app.send(Frames.data(1, 0, new byte[16_000]));
      }
      app.send(Frames.data(1, Frames.END_STREAM));

      app.await(frame -> frame.streamId() == 1 && frame.endsStream());
      assertThat(buffers.refused()).isGreaterThan(refused);
    }
  }

  /** Records events of connections. Each start and each end of a connection takes 3 ms. */
  private record Slow(List<String> order) implements ConnectionHandler {
    @Override
    public void onReady() {
      WaitingClock.sleep(Duration.ofMillis(3));
      order.add("ready");
    }

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      order.add("call");
      return new EchoHandler().onStream(stream);
    }

    private void onClosed() {
      WaitingClock.sleep(Duration.ofMillis(3));
      order.add("closed");
    }
  }

  /** Thousands of peers may send something, or close their sockets, at the same moment. */
  @ParameterizedTest
  @EnumSource
  void aBusyPeerDoesNotWaitForAllIdleOnes(TransportKind kind) throws Exception {
    assumeWorks(kind);
    int count = 40;
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    var accepted = new AtomicInteger();
    List<RawHttp2> idle = new ArrayList<>();
    try (var sockets = new Sockets(kind, 1)) {
      InetSocketAddress address =
          sockets.listen(
              () ->
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      var slow = new Slow(order);
                      channel.closeFuture().addListener(closed -> slow.onClosed());
                      channel
                          .pipeline()
                          .addLast(
                              Http2Connection.server(ConnectionSettings.DEFAULT, made -> slow));
                      accepted.incrementAndGet();
                    }
                  });
      try (var busy = RawHttp2.open(address)) {
        for (int i = 0; i < count; i++) {
          idle.add(RawHttp2.connect(address));
        }
        Await.until("all are accepted", () -> accepted.get() == 1 + count);

        call(busy, 1);
        order.clear();
        whileTheLoopIsHeld(
            sockets,
            () -> {
              idle.forEach(app -> app.send(Frames.PREFACE, Frames.settings()));
              return busy.send(Frames.wholeRequest(3));
            });
        Await.until("all are served", () -> order.size() == count + 1);
        assertThat(order.indexOf("call")).isLessThan(count / 2);

        for (RawHttp2 app : idle.subList(0, count / 2)) {
          app.await(frame -> frame.type() == FrameType.SETTINGS && frame.isAck());
        }
        call(busy, 5);
        order.clear();
        whileTheLoopIsHeld(
            sockets,
            () -> {
              for (RawHttp2 app : idle) {
                app.close(); // with bytes that it has not read, this is a reset
              }
              return busy.send(Frames.wholeRequest(7));
            });
        Await.until("all are served", () -> order.size() == count + 1);
        assertThat(order.indexOf("call")).isLessThan(count / 2);
      }
    }
  }

  private static void call(RawHttp2 app, int id) throws IOException {
    app.send(Frames.wholeRequest(id));
    app.await(frame -> frame.streamId() == id && frame.endsStream());
  }

  private static void whileTheLoopIsHeld(Sockets sockets, Callable<?> action) throws Exception {
    var begun = new CompletableFuture<Void>();
    var over = new CompletableFuture<Void>();
    sockets
        .loops
        .loop(0)
        .execute(
            () -> {
              begun.complete(null);
              over.join();
            });
    begun.join();
    try {
      action.call();
    } finally {
      over.complete(null);
    }
  }

  /** A socket whose first bytes are read by a handshake, as with TLS. */
  private static final class FirstByte extends ChannelInboundHandlerAdapter {
    private final ChannelHandler connection;

    FirstByte(ChannelHandler connection) {
      this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      ctx.pipeline().replace(this, null, connection);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Conformance("SC-38")
  void aBackendIsReadAgainThoughAHandshakeCameFirst(TransportKind kind) throws Exception {
    assumeWorks(kind);
    try (var sockets = new Sockets(kind, 1);
        var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var events = new RecordingConnection();
      var connection = Http2Connection.client(ConnectionSettings.DEFAULT, made -> events);
      Channel channel =
          sockets.connect(
              listener.getLocalSocketAddress(), withFewBuffers(new FirstByte(connection)));
      try (var socket = listener.accept()) {
        socket.getOutputStream().write(0);
        RawHttp2 backend = RawHttp2.accept(socket);
        backend.send(Frames.ping(1));
        backend.await(frame -> frame.type() == FrameType.PING);

        buffers.most(0);
        backend.send(Frames.windowUpdate(0, 1));
        awaitWaits();
        assertThat(channel.isActive()).isTrue();
        buffers.most(Integer.MAX_VALUE);
        backend.send(Frames.ping(2));
        assertThat(backend.await(frame -> frame.type() == FrameType.PING)).isNotNull();
      }
    }
  }
}
