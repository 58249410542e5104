package io.outrigger.abuse;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection that sends any bytes without waiting, and reads frames. Thousands of them
 * are cheap. SETTINGS and PING are acknowledged and the connection's credit is returned, unless
 * {@link #onlyListens} was called; the payload of DATA is counted and dropped.
 *
 * <p>Frames are heard on the event loop; everything may be sent from any thread.
 */
final class Peer extends ChannelInboundHandlerAdapter {
  /** Hears the frames of a peer, on its event loop. */
  interface Listener {
    void onFrame(Peer peer, Frame frame);
  }

  private static final int HEAD_BYTES = 9;
  private static final int CREDIT_AT_ONCE = 1 << 18;
  private static final byte[] NOTHING = new byte[0];

  private final byte[] head = new byte[HEAD_BYTES];
  private final boolean speaksHttp2;
  private int toSkip;
  private int headBytes;
  private byte @Nullable [] payload;
  private int payloadBytes;
  private int dataLeft;
  private int creditOwed;
  private volatile boolean answers = true;
  private volatile Listener listener = (peer, frame) -> {};
  private volatile @Nullable Channel channel;
  private volatile boolean greeted;
  private final AtomicInteger acknowledgedPings = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private volatile @Nullable Http2Error goAway;
  private int nextId = 1;

  /**
   * @param skipped bytes before the first frame: the preface, for a backend
   * @param speaksHttp2 whether frames come; else what comes is counted and dropped
   */
  Peer(int skipped, boolean speaksHttp2) {
    this.toSkip = skipped;
    this.speaksHttp2 = speaksHttp2;
  }

  void listener(Listener newListener) {
    listener = newListener;
  }

  /** Nothing is acknowledged and no credit returned from now on. */
  void onlyListens() {
    answers = false;
  }

  /** Whether the socket is read. */
  void reads(boolean reads) {
    Channel open = channel;
    if (open != null) {
      open.config().setAutoRead(reads);
    }
  }

  /** The number of a stream that was not used yet; for one thread. */
  int nextId() {
    nextId += 2;
    return nextId - 2;
  }

  /** Sends {@code bytes} when the socket takes them; they may come to nothing. */
  void send(byte[] bytes) {
    Channel open = channel;
    if (open != null) {
      open.writeAndFlush(Unpooled.wrappedBuffer(bytes), open.voidPromise());
    }
  }

  void send(byte[]... parts) {
    send(Frames.join(parts));
  }

  boolean isOpen() {
    Channel open = channel;
    return open != null && open.isActive();
  }

  /** Whether what was sent has gone, up to a few kilobytes. */
  boolean isWritable() {
    Channel open = channel;
    return open != null && open.isWritable();
  }

  /** Waits until more can be sent; false when the connection ended or it took too long. */
  boolean awaitWritable(long untilNanos) {
    while (isOpen() && !isWritable()) {
      if (WaitingClock.nanoTime() - untilNanos > 0) {
        return false;
      }
      WaitingClock.sleep(Duration.ofMillis(1));
    }
    return isOpen();
  }

  /** Whether the other side's SETTINGS have come, and were acknowledged; or the end has. */
  boolean isGreeted() {
    return greeted || !isOpen();
  }

  int acknowledgedPings() {
    return acknowledgedPings.get();
  }

  /** Streams that the other side has ended, by END_STREAM or RST_STREAM. */
  int ended() {
    return ended.get();
  }

  /** The error of the GOAWAY that came; null when none has. */
  @Nullable Http2Error goAway() {
    return goAway;
  }

  void close() {
    Channel open = channel;
    if (open != null) {
      open.close();
    }
  }

  /** Closes with a reset of the TCP connection. */
  void abort() {
    Channel open = channel;
    if (open != null) {
      open.eventLoop().execute(() -> abort(open));
    }
  }

  private static void abort(Channel open) {
    if (open.isOpen()) {
      open.config().setOption(ChannelOption.SO_LINGER, 0);
      open.close();
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    int skipped = Math.min(toSkip, in.readableBytes());
    toSkip -= skipped;
    in.skipBytes(skipped);
    while (speaksHttp2 && in.isReadable()) {
      readSome(in);
    }
    in.release();
  }

  private void readSome(ByteBuf in) {
    if (dataLeft > 0) {
      int dropped = Math.min(dataLeft, in.readableBytes());
      in.skipBytes(dropped);
      dataLeft -= dropped;
      return;
    }
    if (payload != null) {
      int taken = Math.min(payload.length - payloadBytes, in.readableBytes());
      in.readBytes(payload, payloadBytes, taken);
      payloadBytes += taken;
      if (payloadBytes == payload.length) {
        byte[] whole = payload;
        payload = null;
        onFrame(whole);
      }
      return;
    }
    int taken = Math.min(HEAD_BYTES - headBytes, in.readableBytes());
    in.readBytes(head, headBytes, taken);
    headBytes += taken;
    if (headBytes == HEAD_BYTES) {
      headBytes = 0;
      onHead();
    }
  }

  private void onHead() {
    int length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | (head[2] & 0xff);
    if (head[3] == Frames.DATA) {
      dataLeft = length;
      creditOwed += length;
      if (answers && creditOwed >= CREDIT_AT_ONCE) {
        send(Frames.windowUpdate(0, creditOwed));
        creditOwed = 0;
      }
      onFrame(NOTHING);
    } else if (length == 0) {
      onFrame(NOTHING);
    } else {
      payload = new byte[length];
      payloadBytes = 0;
    }
  }

  private void onFrame(byte[] content) {
    int streamId =
        (head[5] & 0x7f) << 24 | (head[6] & 0xff) << 16 | (head[7] & 0xff) << 8 | (head[8] & 0xff);
    var frame = new Frame(head[3] & 0xff, head[4] & 0xff, streamId, content);
    if (frame.type() == Frames.RST_STREAM) {
      ended.incrementAndGet();
    } else if (frame.type() == Frames.GOAWAY) {
      goAway = Http2Error.ofCode(frame.number(4));
    } else if (frame.endsStream()) {
      ended.incrementAndGet();
    } else if (frame.type() == Frames.PING && frame.isAck()) {
      acknowledgedPings.incrementAndGet();
    }
    if (answers && !frame.isAck()) {
      if (frame.type() == Frames.SETTINGS) {
        send(Frames.settingsAck());
      } else if (frame.type() == Frames.PING) {
        send(Frames.frame(Frames.PING, 1, 0, content));
      }
    }
    greeted = true; // SETTINGS come first
    listener.onFrame(this, frame);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // a connection that the sidecar has reset
  }
}
