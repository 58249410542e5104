package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandler;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.outrigger.http2.testing.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The effects of a channel's events on its connection. */
final class Http2HandlerTest {
  private final RecordingConnection events = new RecordingConnection();

  /** A channel whose socket is not connected yet. */
  private static final class Connecting extends EmbeddedChannel {
    private boolean connected;

    @Override
    public boolean isActive() {
      return connected && super.isActive();
    }

    void connect() {
      connected = true;
      pipeline().fireChannelActive();
      runPendingTasks();
    }
  }

  private ChannelHandler client() {
    return Http2Connection.client(ConnectionSettings.DEFAULT, made -> events);
  }

  @Test
  void aClientSaysItsPrefaceAsSoonAsItsSocketIsConnected() {
    var buffers = new CountedBuffers();
    var channel = new Connecting();
    buffers.channel(channel, client());
    channel.runPendingTasks();
    assertThat(channel.outboundMessages()).isEmpty();

    channel.connect();

    ByteBuf said = channel.readOutbound();
    byte[] first = new byte[Frames.PREFACE.length];
    said.readBytes(first).release();
    assertThat(first).isEqualTo(Frames.PREFACE);
    channel.finishAndReleaseAll();
    buffers.checkAllReleased();
  }

  @Test
  void aSocketThatWasNeverConnectedEndsItsConnectionToo() {
    var channel = new Connecting();
    channel.pipeline().addLast(client());

    var unused = channel.close();

    assertThat(events.events).containsExactly("closed: socket was never connected");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aChannelWhoseConnectionCannotBeMadeIsClosed(boolean isFull) {
    var memory = new FakeMemory();
    memory.isFull = isFull;
    var channel = new EmbeddedChannel();

    channel
        .pipeline()
        .addLast(
            Http2Connection.server(
                ConnectionSettings.DEFAULT.withMemory(memory),
                made -> {
                  throw new OutOfMemoryError("in a test");
                }));

    assertThat(channel.isOpen()).isFalse();
    assertThat(memory.holders).isEmpty();
    assertThatThrownBy(channel::checkException)
        .hasMessageEndingWith("handlerAdded() has thrown an exception; removed.");
  }

  @Test
  void aFailureOfTheSocketIsToldInPlainWordsAndNothingIsWrittenToIt() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(Frames.request(1));
      peer.channel.pipeline().fireExceptionCaught(new IOException("Connection reset"));

      assertThat(peer.answer()).isEmpty();
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).containsExactly("ready", "closed: connection reset by peer");
      assertThat(peer.events.stream(0).story()).isEqualTo("headers lost");
    }
  }

  @Test
  void aFailureOfTlsIsOneOfTheSocket() {
    try (RawPeer peer = RawPeer.client()) {
      var alert = new SSLException("Received fatal alert: bad_certificate");
      peer.channel.pipeline().fireExceptionCaught(new DecoderException(alert));

      assertThat(peer.answer()).isEmpty();
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).containsExactly("ready", "closed: TLS alert bad_certificate");
    }
  }

  @Test
  void anyOtherFailureIsOursAndThePeerIsToldSo() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(Frames.request(1));
      peer.channel.pipeline().fireExceptionCaught(new IllegalStateException("in a test"));

      assertThat(peer.answer()).isEqualTo("GOAWAY 1 INTERNAL_ERROR");
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events).containsExactly("ready", "closed: internal error");
      assertThat(peer.events.stream(0).story()).isEqualTo("headers lost");
    }
  }

  @Test
  void aReadThatFoundNoBufferIsNoFailure() {
    try (RawPeer peer = RawPeer.client()) {
      peer.channel
          .pipeline()
          .fireExceptionCaught(new SocketReads.NoBufferNow(new OutOfMemoryError("in a test")));

      assertThat(peer.answer()).isEmpty();
      assertThat(peer.isOpen()).isTrue();
    }
  }

  /** The sizes of the read buffers of one turn in which the socket always has more bytes. */
  private static List<Integer> turn(RawPeer peer) {
    ChannelConfig config = peer.channel.config();
    var reads = (ExtendedHandle) config.getRecvByteBufAllocator().newHandle();
    reads.reset(config);
    List<Integer> sizes = new ArrayList<>();
    do {
      ByteBuf buffer = reads.allocate(UnpooledByteBufAllocator.DEFAULT);
      int size = buffer.writableBytes();
      buffer.release();
      reads.attemptedBytesRead(size);
      reads.lastBytesRead(size);
      reads.incMessagesRead(1);
      sizes.add(size);
    } while (reads.continueReading() && sizes.size() < 100);
    return sizes;
  }

  @Test
  void aBackendIsReadInFiveBuffersATurn() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      assertThat(turn(peer)).hasSize(5).allSatisfy(size -> assertThat(size).isGreaterThan(512));
    }
  }
}
