package io.outrigger.http2;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.socket.DuplexChannel;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** A socket in memory: it can end its own half, has addresses, and may be told to take nothing. */
final class MemorySocket extends EmbeddedChannel implements DuplexChannel {
  static final SocketAddress LOCAL = new LocalAddress("here");
  static final SocketAddress REMOTE = new LocalAddress("there");

  /** Where the peer is; null where it has no address. */
  @Nullable SocketAddress remote = REMOTE;

  /** Whether it takes what is written. */
  boolean takes = true;

  private boolean outputShutdown;

  MemorySocket(EmbeddedChannel.Builder builder) {
    super(builder);
  }

  /** Takes the first {@code count} of the messages that wait, however little it takes else. */
  void takeFirst(int count) {
    ChannelOutboundBuffer waiting = unsafe().outboundBuffer();
    waiting.addFlush();
    for (int i = 0; i < count; i++) {
      waiting.remove();
    }
  }

  /** Takes {@code count} bytes of the first message, which has more. */
  void takeBytes(int count) {
    ChannelOutboundBuffer waiting = unsafe().outboundBuffer();
    waiting.addFlush();
    waiting.removeBytes(count);
  }

  /** What waits for it, as the channel counts it. */
  long waitingBytes() {
    return unsafe().outboundBuffer().totalPendingWriteBytes();
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) throws Exception {
    if (takes) {
      super.doWrite(in);
    }
  }

  @Override
  protected SocketAddress localAddress0() {
    return LOCAL;
  }

  @Override
  protected @Nullable SocketAddress remoteAddress0() {
    return remote;
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShutdown;
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    outputShutdown = true;
    return promise.setSuccess();
  }

  @Override
  public boolean isInputShutdown() {
    return false;
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return promise.setFailure(new UnsupportedOperationException());
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    return promise.setFailure(new UnsupportedOperationException());
  }
}
