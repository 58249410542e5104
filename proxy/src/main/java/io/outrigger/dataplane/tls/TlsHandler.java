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
 * A TLS handler that limits the work that a peer's messages cause after the handshake. The JDK
 * limits neither KeyUpdate nor NewSessionTicket messages, and BoringSSL does not limit
 * NewSessionTicket messages. A KeyUpdate or NewSessionTicket message costs as much CPU time as a
 * call.
 *
 * <ul>
 *   <li>Each record without application data uses one unit of a budget of {@value #MAX_BUDGET}
 *       units. After each {@value #DATA_RECORDS} records with data, the budget grows by one unit.
 *       Normal servers send a few session tickets, and a KeyUpdate after millions of records.
 *   <li>Renegotiation is an error (RFC 9113 section 9.2.1).
 * </ul>
 *
 * <p>The records are counted in this handler, not in a wrapper around the engine, because Netty
 * avoids copies of its buffers only for engine classes that it knows.
 */
@LoopConfined
final class TlsHandler extends SslHandler {
  static final int MAX_BUDGET = 32;
  static final int DATA_RECORDS = 64;

  /** The maximum size of a record in TLS 1.2, with its header (RFC 5246 section 6.2.3). */
  private static final int MAX_RECORD = (16 << 10) + 2048 + 5;

  /**
   * The record type of handshake messages in TLS 1.2. In TLS 1.3 all encrypted records have the
   * type {@code application_data}.
   */
  private static final int HANDSHAKE = 22;

  private final List<String> alpn;
  private final PeerRole peer;

  /**
   * The bytes that {@link TlsMemory} counts for this connection. No bytes are counted during the
   * handshake, because the number of handshakes is limited.
   */
  private int heldBytes;

  private int budget = MAX_BUDGET;
  private int dataRecords;

  /** Whether the current record contains application data. */
  private boolean hasDeliveredData;

  private boolean isClosing;

  /** Whether data was read since the last {@code channelReadComplete}. */
  private boolean hasRead;

  /**
   * @param engine an engine that decrypts one record per call
   * @param tasks runs the slow parts of the handshake
   */
  TlsHandler(SSLEngine engine, List<String> alpn, PeerRole peer, Executor tasks) {
    super(engine, tasks);
    this.alpn = alpn;
    this.peer = peer;
    setHandshakeTimeoutMillis(0);
  }

  /**
   * Returns a handler that must follow this handler in the pipeline. The returned handler detects
   * application data, and closes the socket after the peer's close_notify, because no more data
   * will arrive.
   */
  ChannelHandler recordObserver() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        hasDeliveredData = true;
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

  /** Whether at least {@link #MAX_RECORD} bytes wait to be decrypted. */
  boolean hasUnreadRecord() {
    return actualReadableBytes() >= MAX_RECORD;
  }

  /** Whether the given protocol was offered by ALPN. */
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

  /** Stops counting the bytes of this connection, because the bytes are freed soon. */
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
   * Calls Netty's {@code channelReadComplete} only when something was read. Otherwise, Netty would
   * request reads again and again while no buffer is available, even if reads are paused.
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
    } else if (isClosing) {
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
    hasDeliveredData = false;
    super.decode(ctx, in, out);
    if (hasDeliveredData) {
      dataRecords++;
      if (dataRecords == DATA_RECORDS) {
        dataRecords = 0;
        budget = Math.min(budget + 1, MAX_BUDGET);
      }
    } else if (in.readableBytes() < before) {
      budget--;
      if (budget < 0) {
        end(ctx, in, "the " + peer.word() + " sends too many TLS records without data");
      }
    }
  }

  /** Closes the socket without a close_notify, which the peer would not read. */
  private void end(ChannelHandlerContext ctx, ByteBuf in, String reason) {
    isClosing = true;
    in.skipBytes(in.readableBytes());
    ctx.fireExceptionCaught(new SSLException(reason));
    ctx.close();
  }
}
