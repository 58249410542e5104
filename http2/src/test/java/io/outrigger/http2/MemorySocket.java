package io.outrigger.http2;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.socket.DuplexChannel;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A socket in memory with addresses. Its output can be shut down, and it can be set to accept no
 * bytes.
 */
final class MemorySocket extends EmbeddedChannel implements DuplexChannel {
  static final SocketAddress LOCAL = new LocalAddress("here");
  static final SocketAddress REMOTE = new LocalAddress("there");

  /** The address of the peer; null when it has none. */
  @Nullable SocketAddress remote = REMOTE;

  /** Whether the socket accepts bytes. */
  boolean takes = true;

  private boolean outputShutdown;

  MemorySocket(EmbeddedChannel.Builder builder) {
    super(builder);
  }

  /**
   * Accepts the first {@code count} waiting messages, even when the socket is set to accept
   * nothing.
   */
  void takeFirst(int count) {
    ChannelOutboundBuffer waiting = unsafe().outboundBuffer();
    waiting.addFlush();
    for (int i = 0; i < count; i++) {
      waiting.remove();
    }
  }

  /** Accepts {@code count} bytes of the first message, which is longer. */
  void takeBytes(int count) {
    ChannelOutboundBuffer waiting = unsafe().outboundBuffer();
    waiting.addFlush();
    waiting.removeBytes(count);
  }

  /** The number of bytes that wait for the socket, as counted by the channel. */
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
