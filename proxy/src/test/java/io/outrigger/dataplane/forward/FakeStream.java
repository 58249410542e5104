package io.outrigger.dataplane.forward;

import io.netty.buffer.ByteBuf;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.PendingData;
import io.outrigger.http2.StreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream that records the calls of its methods: {@code H(a=b)} for headers, {@code D(text)} for
 * DATA, {@code RST(error)}; a trailing {@code !} is END_STREAM. Bytes are sent at once unless the
 * stream is stalled.
 */
final class FakeStream implements Http2Stream {
  final List<String> log = new ArrayList<>();
  final List<HeaderList> blocks = new ArrayList<>();
  private @Nullable StreamHandler handler;
  private int pending;
  private PendingData unsent = new PendingData();
  private boolean stalled;
  private boolean ended;
  private boolean gone;
  int credit;
  long maxHeaderListBytes = Long.MAX_VALUE;

  FakeStream() {}

  FakeStream(StreamHandler handler) {
    this.handler = handler;
  }

  /** From now on, DATA is pending until {@link #drain}. */
  void stall() {
    stalled = true;
  }

  /** Sends the pending DATA. */
  void drain() {
    stalled = false;
    int bytes = pending;
    pending = 0;
    unsent.release();
    handlerOf().onDataSent(bytes);
  }

  StreamHandler handlerOf() {
    StreamHandler current = handler;
    if (current == null) {
      throw new AssertionError("no handler");
    }
    return current;
  }

  public void handler(StreamHandler value) {
    handler = value;
  }

  @Override
  public long maxHeaderListBytes() {
    return maxHeaderListBytes;
  }

  @Override
  public void sendHeaders(HeaderList headers, boolean endStream) {
    if (gone || ended) {
      return;
    }
    blocks.add(headers);
    ended = endStream;
    log.add("H(" + headers + ")" + (endStream ? "!" : ""));
  }

  @Override
  public void sendData(ByteBuf data, boolean endStream) {
    int bytes = data.readableBytes();
    String text = data.toString(StandardCharsets.UTF_8);
    if (gone || ended) {
      data.release();
      return;
    }
    ended = endStream;
    log.add("D(" + text + ")" + (endStream ? "!" : ""));
    if (stalled && bytes > 0) {
      unsent.add(data.slice(), true, data.alloc());
      pending += bytes;
      return;
    }
    data.release();
    if (bytes > 0) {
      handlerOf().onDataSent(bytes);
    }
  }

  @Override
  public void dropPending() {
    if (pending > 0 && !gone) {
      ended = false;
      pending = 0;
      unsent.release();
      log.add("DROP");
    }
  }

  @Override
  public void reset(Http2Error error) {
    if (!gone) {
      gone = true;
      unsent.release();
      log.add("RST(" + error + ")");
    }
  }

  @Override
  public void consumed(int bytes) {
    credit += bytes;
  }

  @Override
  public int pendingBytes() {
    return pending;
  }

  @Override
  public boolean hasSentEnd() {
    return ended && pending == 0;
  }

  @Override
  public PendingData takeUnsent() {
    PendingData taken = unsent;
    unsent = new PendingData();
    return taken;
  }

  /** The header block that was sent last. */
  HeaderList last() {
    return blocks.get(blocks.size() - 1);
  }
}
