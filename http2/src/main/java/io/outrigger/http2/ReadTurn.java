package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.outrigger.base.LoopConfined;

/**
 * Limits how much is read from one app's socket before the loop serves other sockets. The limit is
 * {@value #READS} buffers and about {@value #STREAMS} requests, or {@value #STREAMS_WHEN_BUSY}
 * requests in a turn in which apps have opened {@value #BUSY} streams. A buffer of 64 KiB may hold
 * a thousand small requests, which take milliseconds to process. The next buffer is therefore sized
 * for the allowed number of requests, by the average size of the last requests. {@link PatientRead}
 * handles reads for which no buffer is available.
 */
@LoopConfined
final class ReadTurn implements RecvByteBufAllocator {
  /**
   * The number of reads per turn, of at most 64 KiB each, so that a fast sender does not delay
   * other sockets.
   */
  private static final int READS = 4;

  private static final int STREAMS = 128;
  private static final int BUSY = 256;
  private static final int STREAMS_WHEN_BUSY = 8;
  private static final int LEAST_BYTES = 512;

  /** The connection whose socket is read. */
  interface Reader extends PatientRead.Waiter {
    /** The number of streams that the peer has opened so far. */
    long startedStreams();
  }

  /**
   * The only handle: this allocator serves one channel. The channel's configuration also requests a
   * handle, to check its type.
   */
  private final PatientRead handle;

  private ReadTurn(PatientRead handle) {
    this.handle = handle;
  }

  /** Limits the bytes that are read per turn from the socket of {@code config}. */
  static PatientRead bound(ChannelConfig config) {
    if (config.getRecvByteBufAllocator() instanceof ReadTurn made) {
      return made.handle; // a channel keeps the handle that it gets at its first read
    }
    return use(config, new PatientRead(sizes(config)));
  }

  /**
   * Limits the bytes and streams that are read per turn from the socket of {@code config}, whose
   * peer opens streams.
   */
  static void bound(ChannelConfig config, Reader reader, FlushQueue loop) {
    use(config, new Turn(sizes(config), reader, loop)).waiter(reader);
  }

  private static PatientRead use(ChannelConfig config, PatientRead handle) {
    config.setRecvByteBufAllocator(new ReadTurn(handle));
    return handle;
  }

  @SuppressWarnings("deprecation") // the type that DelegatingHandle requires
  private static Handle sizes(ChannelConfig config) {
    RecvByteBufAllocator sizes = config.getRecvByteBufAllocator();
    if (sizes instanceof MaxMessagesRecvByteBufAllocator reads) {
      reads.maxMessagesPerRead(READS);
    }
    return sizes.newHandle();
  }

  @Override
  @SuppressWarnings("deprecation") // the only method that channels call
  public Handle newHandle() {
    return handle;
  }

  @LoopConfined
  private static final class Turn extends PatientRead {
    private final Reader reader;
    private final FlushQueue loop;
    private long startedBefore;
    private long bytes;
    private int mostStreams = STREAMS;

    /**
     * The average number of bytes per request at the last turn, including DATA and other frames.
     */
    private long streamBytes = Integer.MAX_VALUE;

    @SuppressWarnings("deprecation") // the type that DelegatingHandle requires
    Turn(Handle sizes, Reader reader, FlushQueue loop) {
      super(sizes);
      this.reader = reader;
      this.loop = loop;
    }

    @Override
    public void reset(ChannelConfig config) {
      if (bytes > 0) {
        long streams = streams();
        streamBytes = streams == 0 ? Integer.MAX_VALUE : bytes / streams;
      }
      mostStreams = loop.streams() < BUSY ? STREAMS : STREAMS_WHEN_BUSY;
      startedBefore = reader.startedStreams();
      bytes = 0;
      super.reset(config);
    }

    private long streams() {
      return reader.startedStreams() - startedBefore;
    }

    @Override
    ByteBuf buffer(ByteBufAllocator allocator) {
      long most = Math.max(LEAST_BYTES, streamBytes * mostStreams);
      return most < guess() ? allocator.ioBuffer((int) most) : super.buffer(allocator);
    }

    @Override
    public void lastBytesRead(int read) {
      bytes += Math.max(0, read);
      super.lastBytesRead(read);
    }

    @Override
    public boolean continueReading() {
      return streams() < mostStreams && super.continueReading();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return streams() < mostStreams && super.continueReading(maybeMoreData);
    }
  }
}
