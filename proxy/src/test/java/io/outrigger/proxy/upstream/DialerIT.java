package io.outrigger.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.state.HandshakeResult;
import io.outrigger.proxy.http2.ConnectionHandler;
import io.outrigger.proxy.http2.EventLoops;
import io.outrigger.proxy.http2.EventLoops.TransportKind;
import io.outrigger.proxy.http2.FrameType;
import io.outrigger.proxy.http2.Http2Error;
import io.outrigger.proxy.http2.Http2Stream;
import io.outrigger.proxy.http2.StreamHandler;
import io.outrigger.proxy.testing.Await;
import io.outrigger.proxy.testing.ScarceBuffers;
import io.outrigger.proxy.testing.http2.Frames;
import io.outrigger.proxy.testing.http2.RawHttp2;
import io.outrigger.proxy.tls.TlsHandshake;
import io.outrigger.proxy.tls.TlsPeer;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a socket begins with, before its connection has it. */
@Timeout(120)
final class DialerIT {
  private final EventLoops loops = EventLoops.start(TransportKind.AUTO, 1);

  @AfterEach
  void stop() {
    loops.stop(Duration.ofSeconds(5));
  }

  private static final class Silent implements ConnectionHandler {
    @Override
    public void onReady() {}

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      throw new IllegalStateException("a backend opened a stream");
    }

    @Override
    public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

    @Override
    public void onCapacity() {}

    @Override
    public void onClosed(String reason) {}
  }

  private static final class NoHandshake implements TlsHandshake.Listener {
    @Override
    public void onHandshaken(TlsPeer peer) {
      throw new IllegalStateException("TLS was not asked for");
    }

    @Override
    public void onFailed(HandshakeResult result, String reason) {
      throw new IllegalStateException("TLS was not asked for");
    }
  }

  private Channel dial(EndpointAddress address) {
    EventLoop loop = loops.loop(0);
    var dialer =
        new Dialer(
            loops,
            loop,
            address,
            UpstreamSettings.DEFAULT,
            new LoopSockets(),
            new SubchannelName(SubchannelName.UNNAMED, "", address),
            () -> {
              throw new IllegalStateException("TLS was not asked for");
            });
    return dialer.dial(made -> new Silent(), new NoHandshake(), reason -> {});
  }

  private static void answerConnect(Socket socket) throws IOException {
    var asked = new StringBuilder();
    while (asked.indexOf("\r\n\r\n") < 0) {
      asked.append((char) socket.getInputStream().read());
    }
    assertThat(asked).startsWith("CONNECT 10.0.0.7:80 ");
    socket.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  /** The handle of its reads is made before the connection has the channel. */
  @Test
  @Conformance("SC-38")
  void behindAProxyTooAReadWaitsForABuffer() throws Exception {
    var buffers = new ScarceBuffers();
    try (var proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Channel channel =
          dial(
              new EndpointAddress("10.0.0.7", 80)
                  .through(new EndpointAddress("127.0.0.1", proxy.getLocalPort())));
      channel.config().setAllocator(buffers);
      try (Socket socket = proxy.accept()) {
        answerConnect(socket);
        RawHttp2 backend = RawHttp2.accept(socket);
        backend.send(Frames.ping(1));
        backend.await(frame -> frame.type() == FrameType.PING);

        buffers.most(0);
        backend.send(Frames.windowUpdate(0, 1)); // nothing to answer
        Await.until("it is tried again", () -> buffers.refused() > 6);
        assertThat(channel.isActive()).isTrue();
        buffers.most(Integer.MAX_VALUE);
        backend.send(Frames.ping(2));
        backend.await(frame -> frame.type() == FrameType.PING);
      }
    }
  }
}
