package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.outrigger.base.LoopConfined;

/**
 * How much is read of one app's socket before the loop turns to the others: a few buffers, and of
 * an app whose requests are small about {@value #STREAMS} of them, or {@value #STREAMS_WHEN_BUSY}
 * in a turn in which others have opened {@value #BUSY}. A buffer of 64 KiB may hold a thousand,
 * which are milliseconds of work; so the next one is as large as that many of the last were. Who
 * finds no buffer waits ({@link PatientRead}).
 */
@LoopConfined
final class ReadTurn implements RecvByteBufAllocator {
  /** Of at most 64 KiB each: who sends as fast as it can leaves the loop to the others soon. */
  private static final int READS = 4;

  private static final int STREAMS = 128;
  private static final int BUSY = 256;
  private static final int STREAMS_WHEN_BUSY = 8;
  private static final int LEAST_BYTES = 512;

  /** Whose bytes are read. */
  interface Reader extends PatientRead.Waiter {
    /** How many streams the peer has opened. */
    long startedStreams();
  }

  /** The one: it is for one channel, whose configuration asks too, to look at its kind. */
  private final PatientRead handle;

  private ReadTurn(PatientRead handle) {
    this.handle = handle;
  }

  /** Bounds what a turn takes of the socket of {@code config}. */
  static PatientRead bound(ChannelConfig config) {
    if (config.getRecvByteBufAllocator() instanceof ReadTurn made) {
      return made.handle; // a channel takes the handle that it finds at its first read
    }
    return use(config, new PatientRead(sizes(config)));
  }

  /** The same where a peer opens streams. */
  static void bound(ChannelConfig config, Reader reader, FlushQueue loop) {
    use(config, new Turn(sizes(config), reader, loop)).waiter(reader);
  }

  private static PatientRead use(ChannelConfig config, PatientRead handle) {
    config.setRecvByteBufAllocator(new ReadTurn(handle));
    return handle;
  }

  @SuppressWarnings("deprecation") // what a delegate has to be
  private static Handle sizes(ChannelConfig config) {
    RecvByteBufAllocator sizes = config.getRecvByteBufAllocator();
    if (sizes instanceof MaxMessagesRecvByteBufAllocator reads) {
      reads.maxMessagesPerRead(READS);
    }
    return sizes.newHandle();
  }

  @Override
  @SuppressWarnings("deprecation") // all that channels ask for
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

    /** Of a request lately, with all that comes with it. */
    private long streamBytes = Integer.MAX_VALUE;

    @SuppressWarnings("deprecation") // what a delegate has to be
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
