package io.outrigger.dataplane.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.outrigger.base.LoopConfined;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of a connection whose peer cannot keep it busy when the handshake is over. The libraries
 * bound handshakes, but the JDK's neither KeyUpdate nor NewSessionTicket after them, and BoringSSL
 * not the latter; each costs as much as a call.
 *
 * <ul>
 *   <li>Records without application data come from a store of {@value #MAX_SPARE}, to which every
 *       {@value #DATA_RECORDS}th record with data adds one. Honest servers send a few tickets, and
 *       a KeyUpdate after millions of records.
 *   <li>Renegotiation is an error (RFC 9113 section 9.2.1).
 * </ul>
 *
 * <p>Counts beside the engine and does not stand before it: Netty's handler gives BoringSSL's
 * engine, as long as it can see that it is one, direct buffers that need no copy.
 */
@LoopConfined
final class TlsHandler extends SslHandler {
  static final int MAX_SPARE = 32;
  static final int DATA_RECORDS = 64;

  /** The type of a record, which TLS 1.2 shows; of TLS 1.3 all look like data. */
  private static final int HANDSHAKE = 22;

  private final List<String> alpn;
  private int spare = MAX_SPARE;
  private int data;

  /** Whether the record that is being read had data in it. */
  private boolean gaveData;

  private boolean over;

  /** Whether anything has come since the last end of a read. */
  private boolean hasRead;

  /**
   * @param engine which is treated as the JDK's are: a record at a time
   * @param alpn what it offers
   * @param tasks runs what of the handshake takes long
   */
  TlsHandler(SSLEngine engine, List<String> alpn, Executor tasks) {
    super(engine, tasks);
    this.alpn = alpn;
    setHandshakeTimeoutMillis(0);
  }

  /** To stand behind this one: sees what comes out of a record. */
  ChannelHandler behind() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        gaveData = true;
        ctx.fireChannelRead(message);
      }
    };
  }

  /** Whether this is among the protocols that were offered (ALPN). */
  boolean offers(@Nullable String protocol) {
    return protocol != null && alpn.contains(protocol);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    hasRead = true;
    super.channelRead(ctx, message);
  }

  /**
   * Who has read nothing needs no more for it: Netty's handler would ask the socket again at once,
   * and so on while no buffer is there to read into, though reading is switched off for a moment.
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
      end(ctx, in, "the server asks for a TLS renegotiation");
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
        end(ctx, in, "the server sends too many TLS records without data");
      }
    }
  }

  /** The socket goes at once: a farewell by TLS would be one more that nobody reads. */
  private void end(ChannelHandlerContext ctx, ByteBuf in, String reason) {
    over = true;
    in.skipBytes(in.readableBytes());
    ctx.fireExceptionCaught(new SSLException(reason));
    ctx.close();
  }
}
