package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.DelegatingHandle;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.util.UncheckedBooleanSupplier;
import io.outrigger.base.Exhaustion;
import io.outrigger.base.LoopConfined;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Controls the reads of one socket.
 *
 * <ul>
 *   <li>The number of bytes per turn is limited, so that a fast sender does not delay other
 *       sockets. A turn begins with a buffer of at most 16 KiB. It continues, with larger buffers,
 *       only while the bytes cause little work: few streams, and few frames without content. Over
 *       TLS, buffers hold at most one record until a record is complete.
 *   <li>Netty would close a channel that gets no direct buffer for a read, even when other
 *       connections have exhausted the buffers. Here, the read uses a buffer of {@value
 *       #SMALL_BYTES} bytes instead. If none is available either, the read is retried every {@value
 *       #WAIT_MILLIS} ms, and the connection is closed after {@value #MAX_WAITS} retries.
 *   <li>If the condition of {@link #setReadConditions} forbids a read, because the heap is almost
 *       full, the read is retried without a limit on the number of retries.
 *   <li>Thousands of new or idle peers may send something, or close their sockets, at the same
 *       time. When their reads have taken about 5 ms of a turn, the others are postponed ({@link
 *       LoopTurn.Mark#postpone}), so that the calls of busy peers do not wait for them.
 * </ul>
 */
@LoopConfined
final class SocketReads extends DelegatingHandle implements ExtendedHandle, RecvByteBufAllocator {
  /** The delay after which a connection that got no buffer tries to read and write again. */
  static final long WAIT_MILLIS = 20;

  /** The maximum number of retries; together they take five seconds. */
  static final int MAX_WAITS = 250;

  static final int SMALL_BYTES = 512;

  /** The maximum number of reads per turn, of at most 64 KiB each. */
  private static final int READS = 5;

  /**
   * The maximum size of the first buffer of a turn, and of each buffer until decrypted bytes have
   * reached HTTP/2: one TLS record, or a thousand of the smallest requests, which take some ms.
   */
  private static final int FIRST_BYTES = 16 << 10;

  /**
   * The reads of a turn end when the peer has caused this much work: nine streams, or 288 frames
   * without content.
   */
  static final int MUCH_WORK = 9 * LoopTurn.STREAM_WORK;

  /** When the peers of a loop together cause this much work in a turn, reads use small buffers. */
  private static final int BUSY_WORK = 256 * LoopTurn.STREAM_WORK;

  /**
   * Reports that no buffer is available now, or that the process must not allocate another buffer.
   * {@link Http2Connection} ignores a {@code NoBufferNow}, whereas Netty would close the channel
   * after an {@link OutOfMemoryError}.
   */
  static final class NoBufferNow extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoBufferNow(@Nullable OutOfMemoryError cause) {
      super("no buffer for a read", cause, false, false);
    }
  }

  private final Channel channel;

  /** Schedules retries of reads; null during the TLS handshake, when reads are not retried. */
  private LoopTurn.@Nullable Mark dirty;

  private BooleanSupplier mayRead = () -> true;

  /** Supplies the work that the peer has caused so far: see {@link LoopTurn.Mark#onWork}. */
  private LongSupplier work = () -> 0;

  private BooleanSupplier isIdle = () -> false;

  private boolean isServer;
  private boolean isFirst;
  private boolean isBusy;

  /** Whether decrypted bytes have reached HTTP/2 in this turn; always true for a client. */
  private boolean hasDelivered;

  private long workBefore;
  private boolean isPaused;
  private boolean isWaiting;

  /** The number of failed reads in a row. */
  private int waits;

  @SuppressWarnings("deprecation") // DelegatingHandle requires this type
  private SocketReads(Channel channel, Handle sizes) {
    super(sizes);
    this.channel = channel;
  }

  /** Returns a channel's {@code SocketReads}. Must be called before the channel's first read. */
  static SocketReads of(Channel channel) {
    ChannelConfig config = channel.config();
    RecvByteBufAllocator sizes = config.getRecvByteBufAllocator();
    if (sizes instanceof SocketReads known) {
      return known;
    }
    if (sizes instanceof MaxMessagesRecvByteBufAllocator reads) {
      reads.maxMessagesPerRead(READS);
    }
    var made = new SocketReads(channel, sizes.newHandle());
    config.setRecvByteBufAllocator(made);
    return made;
  }

  void attach(boolean server, LongSupplier workOfPeer, LoopTurn.Mark mark) {
    isServer = server;
    work = workOfPeer;
    dirty = mark;
  }

  /**
   * Sets the conditions of a read; called after {@link #attach}.
   *
   * @param mayRead while false and the connection is not paused, a read is retried every {@value
   *     #WAIT_MILLIS} ms
   * @param isIdle while true, a read may be postponed
   */
  void setReadConditions(BooleanSupplier mayRead, BooleanSupplier isIdle) {
    this.mayRead = mayRead;
    this.isIdle = isIdle;
  }

  /** Returns this object, because each channel has its own {@code SocketReads}. */
  @Override
  @SuppressWarnings("deprecation") // channels call no other method
  public Handle newHandle() {
    return this;
  }

  @Override
  public void reset(ChannelConfig config) {
    isFirst = true;
    hasDelivered = !isServer;
    isBusy = dirty != null && dirty.workOfTurn() >= BUSY_WORK;
    workBefore = work.getAsLong();
    super.reset(config);
  }

  @Override
  public ByteBuf allocate(ByteBufAllocator allocator) {
    if (!mayRead.getAsBoolean()) {
      if (!isPaused) {
        waitForBuffer();
      }
      throw new NoBufferNow(null);
    }
    if (isFirst
        && isIdle.getAsBoolean()
        && (isWaiting || (dirty != null && dirty.postpone(this::retry)))) {
      isWaiting = true;
      setAutoRead();
      throw new NoBufferNow(null);
    }
    int size = guess();
    if (isBusy && (isFirst || work.getAsLong() > workBefore)) {
      size = Math.min(size, SMALL_BYTES);
    } else if (isFirst || !hasDelivered) {
      size = Math.min(size, FIRST_BYTES);
    }
    isFirst = false;
    ByteBuf buffer;
    try {
      buffer = allocator.ioBuffer(size);
    } catch (OutOfMemoryError none) {
      buffer = small(allocator, none);
    }
    waits = 0;
    return buffer;
  }

  private ByteBuf small(ByteBufAllocator allocator, OutOfMemoryError none) {
    if (Exhaustion.isOfJvm(none)) {
      throw none;
    }
    try {
      return allocator.ioBuffer(SMALL_BYTES);
    } catch (OutOfMemoryError noneAtAll) {
      if (dirty == null || Exhaustion.isOfJvm(noneAtAll) || ++waits > MAX_WAITS) {
        throw noneAtAll;
      }
      waitForBuffer(); // must run before Netty decides whether to read on
      throw new NoBufferNow(noneAtAll);
    }
  }

  void onDelivered() {
    hasDelivered = true;
  }

  @Override
  public boolean continueReading() {
    return hasLittleWork() && super.continueReading();
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
    return hasLittleWork() && ((ExtendedHandle) delegate()).continueReading(maybeMoreData);
  }

  private boolean hasLittleWork() {
    return work.getAsLong() - workBefore < MUCH_WORK;
  }

  /** Stops reading, and tries again after {@value #WAIT_MILLIS} ms. */
  void waitForBuffer() {
    if (!isWaiting) {
      isWaiting = true;
      setAutoRead();
      var unused = channel.eventLoop().schedule(this::retry, WAIT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void retry() {
    isWaiting = false;
    if (channel.isOpen() && dirty != null) {
      setAutoRead(); // first: there may be no memory for the other
      dirty.set();
    }
  }

  void pause(boolean value) {
    isPaused = value;
    setAutoRead();
  }

  private void setAutoRead() {
    channel.config().setAutoRead(!isPaused && !isWaiting);
  }
}
