package io.outrigger.dataplane.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.calls.CallStatsRecorder;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.PendingData;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the data and trailers of a request to the backend. While no backend stream is open, the
 * data is buffered. Flow-control credit is returned only for data that was sent on, so one stream
 * window limits the buffered data.
 *
 * <p>A request may have to be sent again. For this, the first bytes of its body are copied, and
 * unsent data is taken back from the ended stream. As long as no more bytes were sent than copied,
 * no data is lost, whatever the size of the request (A6 "Memory Management", decision proxy-0025).
 * Bytes that are sent a second time return no further credit.
 */
@LoopConfined
final class RequestRelay {
  private final DownstreamResponse app;
  private final CallStatsRecorder record;

  /**
   * Data after the bytes in {@link #replay} that was not passed to a stream; created on first use.
   */
  private @Nullable PendingData kept;

  /**
   * The trailers of a request that is not gRPC, kept until the call ends, since they may be sent
   * again.
   */
  private @Nullable HeaderList trailers;

  /** The first bytes of the body; empty once the request can no longer be sent again. */
  private final ReplayBuffer replay;

  private @Nullable Http2Stream backend;

  /** Whether the request can no longer be sent again. */
  private boolean committed;

  /** The number of bytes passed to the stream of the current backend. */
  private long given;

  /** The number of bytes sent to the current backend. */
  private long sent;

  /**
   * The number of bytes that return no credit when they are sent, because they were already sent to
   * an earlier backend.
   */
  private int creditless;

  RequestRelay(DownstreamResponse app, CallStatsRecorder record, ReplayBuffer replay) {
    this.app = app;
    this.record = record;
    this.replay = replay;
  }

  /** Stops copying the request; the bytes that were copied so far are kept. */
  void stopCopying() {
    replay.stop();
  }

  /** Whether the whole request can still be sent to another backend. */
  boolean canReplay() {
    return !committed;
  }

  /** Drops the copy, since the request is not sent again. The current attempt continues. */
  void commit() {
    committed = true;
    replay.release();
  }

  boolean isOpen() {
    return backend != null;
  }

  /** Whether the app ended the request with its headers, without data or trailers. */
  boolean endsWithHead() {
    return app.requestEnded() && isNothingKept();
  }

  /**
   * Sends all buffered data on a stream on which the headers were already sent. Later data is
   * forwarded at once.
   */
  void open(Http2Stream stream) {
    backend = stream;
    creditless += (int) sent; // at most the size of the copy
    sent = 0;
    given = 0;
    boolean ended = app.requestEnded();
    if (!replay.isEmpty()) {
      send(stream, replay.copy(), ended && trailers == null && keptBytes() == 0);
    }
    while (keptBytes() > 0 && kept != null) {
      ByteBuf data = kept.take(Integer.MAX_VALUE);
      send(stream, data, ended && trailers == null && kept.isEmpty());
    }
    if (trailers != null) {
      stream.sendHeaders(trailers, true);
    }
  }

  private void send(Http2Stream stream, ByteBuf data, boolean endStream) {
    record.outbound(data);
    given += data.readableBytes();
    stream.sendData(data, endStream);
  }

  /**
   * Called when the backend's stream has ended; {@code unsent} is the data that it did not send.
   */
  void close(PendingData unsent) {
    backend = null;
    int copied = replay.size();
    long from = given - unsent.bytes();
    committed |= from > copied; // some bytes were sent but not copied
    if (committed) {
      commit();
      unsent.release();
      return;
    }
    unsent.skip((int) Math.min(unsent.bytes(), copied - from)); // these bytes are also in the copy
    if (!unsent.isEmpty()) {
      kept = unsent;
    }
  }

  /**
   * Called when {@code bytes} were sent to the backend. Bytes that are sent for the first time
   * return credit to the app.
   */
  void onSent(int bytes) {
    sent += bytes;
    if (!committed && sent > replay.size()) {
      commit(); // more bytes were sent than copied: this attempt is the last (A6 "Buffering")
    }
    int repeated = Math.min(creditless, bytes);
    creditless -= repeated;
    if (bytes > repeated) {
      app.stream.consumed(bytes - repeated);
    }
  }

  void onData(ByteBuf data, boolean endStream) {
    record.requestData(data.readableBytes());
    if (endStream) {
      app.onRequestEnd();
    }
    int copied = replay.keep(data);
    if (backend != null) {
      send(backend, data, endStream);
    } else if (copied < data.readableBytes()) {
      if (kept == null) {
        kept = new PendingData();
      }
      ByteBuf rest = data.skipBytes(copied).slice(); // has its own indices
      kept.add(rest, true, data.alloc());
    } else {
      data.release();
    }
  }

  /**
   * Called when the app sent trailers. gRPC requests have no trailers, so trailers only end a gRPC
   * request (SC-14).
   */
  void onTrailers(HeaderList received, boolean grpc) {
    HeaderList block = HopByHopHeaders.trailers(received);
    app.onRequestEnd();
    if (!grpc) {
      trailers = block;
    }
    if (backend != null && grpc) {
      backend.sendData(Unpooled.EMPTY_BUFFER, true);
    } else if (backend != null) {
      backend.sendHeaders(block, true);
    }
  }

  /** Releases all buffered data; called when the call has ended. */
  void release() {
    backend = null;
    commit();
    if (kept != null) {
      kept.release();
      kept = null;
    }
  }

  private int keptBytes() {
    return kept == null ? 0 : kept.bytes();
  }

  private boolean isNothingKept() {
    return keptBytes() == 0 && trailers == null && replay.isEmpty();
  }
}
