package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.outrigger.http2.EventLoops.TransportKind;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections on real sockets, with correct and incorrect clients. */
final class Http2ConnectionIT {
  private static InetSocketAddress echo(Sockets sockets) {
    return sockets.listen(
        () -> Http2Connection.server(ConnectionSettings.DEFAULT, added -> new EchoHandler()));
  }

  @Test
  void aFloodBehindAnErrorIsNotReadForLong() throws Exception {
    try (var sockets = new Sockets(TransportKind.AUTO, 1);
        var flood = new Socket()) {
      flood.connect(echo(sockets));
      byte[] garbage = new byte[1 << 16];
      long sent = 0;
      try {
        while (sent < 1L << 30) {
          flood.getOutputStream().write(garbage);
          sent += garbage.length;
        }
      } catch (IOException reset) {
        // expected
      }
      long window = ConnectionSettings.DEFAULT.windows().connection();
      assertThat(sent).as("read, or in the buffers of sockets").isLessThan(window + (48 << 20));
    }
  }

  @Test
  @Conformance({"SC-01", "SC-48"})
  void badClientsEndOnlyTheirOwnConnection() throws Exception {
    try (var sockets = new Sockets(TransportKind.AUTO, 1)) {
      InetSocketAddress address = echo(sockets);
      try (var good = RawHttp2.open(address)) {
        try (var http1 = RawHttp2.connect(address)) {
          http1.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
          assertThat(new String(http1.readAll(), StandardCharsets.US_ASCII))
              .startsWith("HTTP/1.1 505 HTTP Version Not Supported\r\n")
              .contains("HTTP/2 with prior knowledge");
        }
        try (var tls = RawHttp2.connect(address)) {
          tls.send(new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00});
          assertThat(tls.awaitClose()).contains(Http2Error.PROTOCOL_ERROR);
        }
        try (var garbage = RawHttp2.connect(address)) {
          garbage.send(new byte[100_000]);
          assertThat(garbage.awaitClose()).contains(Http2Error.PROTOCOL_ERROR);
        }
        try (var hpack = RawHttp2.open(address)) {
          hpack.send(
              Frames.frame(FrameType.HEADERS, Frames.END_HEADERS, 1, (byte) 0xff, (byte) 0xff));
          assertThat(hpack.awaitClose()).contains(Http2Error.COMPRESSION_ERROR);
        }
        try (var large = RawHttp2.open(address)) {
          large.send(Frames.headers(1, 0, Frames.REQUEST));
          byte[] fragment = Frames.block("x", "x".repeat(16_000));
          large.send(Frames.repeat(9, Frames.frame(FrameType.CONTINUATION, 0, 1, fragment)));
          large.send(Frames.frame(FrameType.CONTINUATION, Frames.END_HEADERS, 1));
          Frame answer = large.await(frame -> frame.type() == FrameType.HEADERS);
          assertThat(large.decode(answer).status()).hasToString("431");
          large.send(Frames.wholeRequest(3));
          assertThat(large.decode(large.await(frame -> frame.streamId() == 3)).status())
              .hasToString("200");
        }

        good.send(Frames.request(1), Frames.data(1, Frames.END_STREAM, (byte) 7));
        Frame head = good.await(frame -> frame.type() == FrameType.HEADERS);
        assertThat(good.decode(head).status()).hasToString("200");
        assertThat(good.await(frame -> frame.type() == FrameType.DATA).payload())
            .containsExactly(7);
        assertThat(good.await(Frame::endsStream)).hasToString("HEADERS 1 end");
      }
    }
  }

  @Test
  void aRapidResetAttackEndsItsConnection() throws Exception {
    try (var sockets = new Sockets(TransportKind.AUTO, 1);
        var attacker = RawHttp2.open(echo(sockets))) {
      boolean accepted = true;
      for (int i = 0; i < 400 && accepted; i++) {
        byte[] burst = new byte[0];
        for (int id = 200 * i + 1; id < 200 * i + 200; id += 2) {
          burst = Frames.join(burst, Frames.request(id), Frames.reset(id, Http2Error.CANCEL));
        }
        accepted = attacker.send(burst);
      }

      assertThat(attacker.awaitClose()).contains(Http2Error.ENHANCE_YOUR_CALM);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyTransportCarriesTcpAndUnixSockets(TransportKind kind, @TempDir Path directory)
      throws Exception {
    assumeThat(kind != TransportKind.EPOLL || Epoll.isAvailable()).isTrue();
    try (var sockets = new Sockets(kind, 2)) {
      SocketAddress unix = sockets.loops.unixAddress(directory.resolve("proxy.sock"));
      sockets.listen(
          unix,
          () -> Http2Connection.server(ConnectionSettings.DEFAULT, added -> new EchoHandler()));
      for (SocketAddress address : new SocketAddress[] {unix, echo(sockets)}) {
        assertThat(call(sockets, address))
            .isEqualTo("headers data headers+end: over " + sockets.loops.kind());
      }
    }
  }

  /** A peer that reads nothing would otherwise fill megabytes, for which a container is charged. */
  @ParameterizedTest
  @EnumSource
  void theKernelKeepsFewUnsentBytes(TransportKind kind, @TempDir Path directory) {
    assumeThat(kind != TransportKind.EPOLL || Epoll.isAvailable()).isTrue();
    try (var sockets = new Sockets(kind, 1)) {
      SocketAddress unix = sockets.loops.unixAddress(directory.resolve("proxy.sock"));
      sockets.listen(
          unix,
          () -> Http2Connection.server(ConnectionSettings.DEFAULT, added -> new EchoHandler()));
      for (SocketAddress address : new SocketAddress[] {unix, echo(sockets)}) {
        Channel channel =
            sockets.connect(
                address,
                Http2Connection.client(
                    ConnectionSettings.DEFAULT, added -> new RecordingConnection()));
        assertThat(maxUnsentBytes(channel)).as("%s", channel).isBetween(1L, 128L << 10);
      }
    }
  }

  private static long maxUnsentBytes(Channel channel) {
    return channel instanceof EpollSocketChannel
        ? channel.config().getOption(EpollChannelOption.TCP_NOTSENT_LOWAT)
        : channel.config().getOption(ChannelOption.SO_SNDBUF);
  }

  private static String call(Sockets sockets, SocketAddress address) throws Exception {
    var done = new CompletableFuture<String>();
    var stream =
        new RecordingStream() {
          @Override
          public void onHeaders(HeaderList list, boolean endStream) {
            super.onHeaders(list, endStream);
            if (endStream) {
              done.complete(story() + ": " + text());
            }
          }
        };
    sockets.connect(
        address,
        Http2Connection.client(
            ConnectionSettings.DEFAULT,
            connection ->
                new RecordingConnection() {
                  @Override
                  public void onReady() {
                    Http2Stream opened = connection.openStream(stream);
                    if (opened != null) {
                      stream.stream = opened;
                      opened.sendHeaders(Messages.POST, false);
                      opened.sendData(Messages.text("over " + sockets.loops.kind()), true);
                    }
                  }
                }));
    return done.get(60, TimeUnit.SECONDS);
  }
}
