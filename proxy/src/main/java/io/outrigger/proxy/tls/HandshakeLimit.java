package io.outrigger.proxy.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.MathUtil;
import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.memory.MemoryAccount;
import io.outrigger.proxy.memory.MemoryHolder;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.proxy.memory.PeerSide;
import java.nio.ByteBuffer;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Stands before the TLS handler from the connection to the end of the handshake, and bounds what a
 * server makes us hold meanwhile: of one handshake its bytes, of all of them together what the
 * ledger lets be held. The bytes that come while a part of the handshake waits for a thread are
 * kept, and a server may send as fast as it can.
 *
 * <p>The account is closed when this leaves the pipeline: on success, when the connection opens one
 * of its own, or with the socket.
 */
@LoopConfined
final class HandshakeLimit extends ChannelDuplexHandler implements MemoryHolder {
  /** Either library admits 32 KiB for each of some six messages, of which one is large at most. */
  static final int MAX_BYTES = 256 << 10;

  /**
   * Channel, handlers, and the engine with the keys it has made: measured with 1,000 of them, an
   * engine takes 8.9 KB once it has said its ClientHello, and 12.6 KB with TLS 1.3's ServerHello.
   */
  static final int BASE_BYTES = 16 << 10;

  /** The same of BoringSSL's: 20.4 KB once it has said its ClientHello, of which 2.4 are heap. */
  static final int NATIVE_BASE_BYTES = 24 << 10;

  /**
   * A certificate takes three times its bytes once it is read, and the messages are kept beside it.
   */
  static final int HEAP_FACTOR = 4;

  /** Of a buffer that a socket is read into. */
  private static final int LEAST_BUFFER_BYTES = 2 << 10;

  private final TlsHandler tls;
  private final MemoryLedger ledger;
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable MemoryAccount account;

  /** The first record that was said; empty before. */
  private byte[] hello = {};

  private int taken;
  private boolean over;

  /**
   * @param tls the handler behind this one
   */
  HandshakeLimit(TlsHandler tls, MemoryLedger ledger) {
    this.tls = tls;
    this.ledger = ledger;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    ctx = active;
    account = ledger.on(active.channel().eventLoop()).open(PeerSide.BACKEND, this);
    refresh();
    if (ledger.isFull()) {
      giveUp();
    } else {
      active.fireChannelActive();
      relieve();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext active, Object message) {
    if (!over && message instanceof ByteBuf bytes) {
      taken += bytes.readableBytes();
      if (taken > MAX_BYTES) {
        fail("the server has sent more than 256 KiB before its end");
      }
    }
    if (over) {
      ReferenceCountUtil.release(message);
    } else {
      active.fireChannelRead(message);
      refresh();
      relieve();
    }
  }

  @Override
  public void write(ChannelHandlerContext active, Object message, ChannelPromise promise) {
    if (hello.length == 0 && message instanceof ByteBuf bytes) {
      hello = ByteBufUtil.getBytes(bytes);
    }
    active.write(message, promise);
  }

  /** The groups for key agreement that were offered. */
  List<String> groups() {
    return hello.length == 0 ? List.of() : ClientHello.groups(ByteBuffer.wrap(hello));
  }

  private void relieve() {
    if (account != null) {
      account.relieveIfHeavy();
    }
  }

  /** Counts anew: what the engine has taken lies on the heap, the rest waits in a buffer. */
  private void refresh() {
    MemoryAccount known = account;
    if (known == null) {
      return; // it is over
    }
    int waiting = tls.waitingBytes();
    int base = tls.isNative() ? NATIVE_BASE_BYTES : BASE_BYTES;
    long heap = base + (long) HEAP_FACTOR * (taken - waiting);
    if (heap != known.heapBytes()) {
      known.heap(heap - known.heapBytes());
    }
    long direct =
        waiting == 0
            ? 0
            : Math.max(LEAST_BUFFER_BYTES, MathUtil.safeFindNextPositivePowerOfTwo(waiting));
    if (direct != known.directBytes()) {
      known.direct(direct - known.directBytes());
    }
  }

  private void giveUp() {
    if (account != null) {
      account.onConnectionEnded();
    }
    fail("memory is short, and no call uses this connection yet");
  }

  /** The socket goes at once: a farewell by TLS would wait for the part that is under way. */
  private void fail(String reason) {
    over = true;
    closeAccount();
    if (ctx != null) {
      ctx.channel().config().setAutoRead(false);
      ctx.fireExceptionCaught(new SSLException(reason));
      ctx.close();
    }
  }

  private void closeAccount() {
    if (account != null) {
      account.close();
      account = null;
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext removed) {
    closeAccount();
  }

  @Override
  public void letGo(long bytes) {
    giveUp();
  }

  /** No call goes over it, and the next attempt follows a back-off. */
  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public boolean isHeavyByReading() {
    return false; // never as heavy as what is paused
  }

  @Override
  public void pauseReading(boolean paused) {
    throw new IllegalStateException("a handshake is bounded, not paused");
  }

  @Override
  public void onTick(long nowNanos) {
    refresh();
  }

  @Override
  public void onShort() {}

  @Override
  public String peer() {
    return ctx == null ? "" : String.valueOf(ctx.channel().remoteAddress());
  }

  @Override
  public int streams() {
    return 0;
  }
}
