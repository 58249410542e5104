package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.outrigger.base.LoopConfined;
import io.outrigger.identity.certificate.PeerRole;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A TLS handler that limits the work a peer can cause after the handshake. The libraries limit
 * handshakes, but the JDK limits neither KeyUpdate nor NewSessionTicket messages after the
 * handshake, and BoringSSL does not limit NewSessionTicket messages. Each such message costs as
 * much CPU time as a call.
 *
 * <ul>
 *   <li>Each record without application data uses one unit of a budget of {@value #MAX_SPARE};
 *       every {@value #DATA_RECORDS}th record with data adds one unit. Normal servers send a few
 *       tickets, and a KeyUpdate after millions of records.
 *   <li>Renegotiation is an error (RFC 9113 section 9.2.1).
 * </ul>
 *
 * <p>The records are counted in this handler and not in a wrapper around the engine: Netty's
 * handler passes direct buffers to BoringSSL without a copy only when it recognizes BoringSSL's
 * engine class.
 */
@LoopConfined
final class TlsHandler extends SslHandler {
  static final int MAX_SPARE = 32;
  static final int DATA_RECORDS = 64;

  /**
   * The record type of handshake messages. The type is visible in TLS 1.2; in TLS 1.3 all encrypted
   * records look like data.
   */
  private static final int HANDSHAKE = 22;

  private final List<String> alpn;
  private final PeerRole peer;

  /**
   * The bytes that {@link TlsMemory} counts for this connection after the handshake. Handshakes in
   * progress are not counted, because they cannot be ended to free memory and their number is
   * bounded.
   */
  private int heldBytes;

  private int spare = MAX_SPARE;
  private int data;

  /** Whether the current record contained application data. */
  private boolean gaveData;

  private boolean over;

  /** Whether data was read since the last {@code channelReadComplete}. */
  private boolean hasRead;

  /**
   * @param engine the engine, which handles one record at a time, as the JDK's engines do
   * @param tasks runs the slow parts of the handshake
   */
  TlsHandler(SSLEngine engine, List<String> alpn, PeerRole peer, Executor tasks) {
    super(engine, tasks);
    this.alpn = alpn;
    this.peer = peer;
    setHandshakeTimeoutMillis(0);
  }

  /**
   * A handler to add directly after this one; the added handler detects the application data of a
   * record, and closes the socket after the peer's close_notify: the peer will send nothing more,
   * so calls on the connection would never be answered.
   */
  ChannelHandler behind() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        gaveData = true;
        ctx.fireChannelRead(message);
      }

      @Override
      public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ctx.fireUserEventTriggered(event);
        if (event instanceof SslCloseCompletionEvent) {
          ctx.close();
        }
      }
    };
  }

  PeerRole peer() {
    return peer;
  }

  /** Whether {@code protocol} is one of the protocols that were offered (ALPN). */
  boolean offers(@Nullable String protocol) {
    return protocol != null && alpn.contains(protocol);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
    super.handlerAdded(ctx);
    if (peer == PeerRole.CLIENT) {
      var unused =
          handshakeFuture()
              .addListener(
                  done -> {
                    if (done.isSuccess() && !ctx.isRemoved()) {
                      heldBytes = TlsMemory.bytesOf(engine());
                      TlsMemory.add(heldBytes);
                    }
                  });
    }
  }

  @Override
  public void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
    release();
    super.handlerRemoved0(ctx);
  }

  /**
   * Stops counting the bytes of this connection, which are freed later in this turn or after the
   * close_notify.
   */
  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) throws Exception {
    release();
    super.close(ctx, promise);
  }

  private void release() {
    TlsMemory.add(-heldBytes);
    heldBytes = 0;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    hasRead = true;
    super.channelRead(ctx, message);
  }

  /**
   * Skips Netty's handling when nothing was read. As long as no buffer is available, Netty's
   * handler would request one read after the other, even while reads are paused.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    if (hasRead) {
      hasRead = false;
      super.channelReadComplete(ctx);
    } else {
      ctx.fireChannelReadComplete();
    }
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws SSLException {
    if (!handshakeFuture().isSuccess()) {
      super.decode(ctx, in, out);
    } else if (over) {
      in.skipBytes(in.readableBytes());
    } else if (isRenegotiation(in)) {
      end(ctx, in, "the " + peer.word() + " asks for a TLS renegotiation");
    } else {
      decodeRecord(ctx, in, out);
    }
  }

  private boolean isRenegotiation(ByteBuf in) {
    return in.isReadable()
        && in.getByte(in.readerIndex()) == HANDSHAKE
        && engine().getSession().getProtocol().equals("TLSv1.2");
  }

  private void decodeRecord(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws SSLException {
    int before = in.readableBytes();
    gaveData = false;
    super.decode(ctx, in, out);
    if (gaveData) {
      data++;
      if (data == DATA_RECORDS) {
        data = 0;
        spare = Math.min(spare + 1, MAX_SPARE);
      }
    } else if (in.readableBytes() < before) {
      spare--;
      if (spare < 0) {
        end(ctx, in, "the " + peer.word() + " sends too many TLS records without data");
      }
    }
  }

  /** Closes the socket at once, without a close_notify, which the peer would not read. */
  private void end(ChannelHandlerContext ctx, ByteBuf in, String reason) {
    over = true;
    in.skipBytes(in.readableBytes());
    ctx.fireExceptionCaught(new SSLException(reason));
    ctx.close();
  }
}
