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
 * data is buffered. Flow-control credit is returned only for data that was sent, so one stream
 * window limits the buffered data.
 *
 * <p>The first bytes of the body are copied, because the request may have to be sent again. When
 * the backend's stream ends, the relay takes back the data that the stream did not send. A request
 * of any size can be sent again if all sent bytes were copied (A6 "Memory Management", decision
 * proxy-0025). Flow-control credit is returned only once for bytes that are sent several times.
 */
@LoopConfined
final class RequestRelay {
  private final DownstreamResponse app;
  private final CallStatsRecorder record;

  /** The buffered data after the bytes in {@link #replay}; no stream has received it yet. */
  private @Nullable PendingData buffered;

  /** The trailers of a request that is not gRPC; kept because they may have to be sent again. */
  private @Nullable HeaderList trailers;

  /** The first bytes of the body; empty when the request cannot be sent again. */
  private final ReplayBuffer replay;

  private @Nullable Http2Stream backend;

  /** Whether the request must not be sent to another backend. */
  private boolean committed;

  /** The number of bytes passed to the stream of the current backend. */
  private long passed;

  /** The number of bytes sent to the current backend. */
  private long sent;

  /**
   * The number of bytes, already sent to an earlier backend, that are still to be sent to the
   * current backend. The flow-control credit of resent bytes was already returned.
   */
  private int bytesToResend;

  RequestRelay(DownstreamResponse app, CallStatsRecorder record, ReplayBuffer replay) {
    this.app = app;
    this.record = record;
    this.replay = replay;
  }

  void stopCopying() {
    replay.stop();
  }

  boolean canReplay() {
    return !committed;
  }

  /** Drops the copy because the request is not sent again after the current attempt. */
  void commit() {
    committed = true;
    replay.release();
  }

  boolean isOpen() {
    return backend != null;
  }

  /** Whether the request has only headers: neither data nor trailers. */
  boolean endsWithHead() {
    return app.requestEnded() && bufferedBytes() == 0 && trailers == null && replay.isEmpty();
  }

  /**
   * Sends all buffered data on a stream whose headers were already sent; data that arrives
   * afterwards is forwarded immediately.
   *
   * @return the size of trailers that are larger than the backend accepts; otherwise 0
   */
  long open(Http2Stream stream) {
    backend = stream;
    bytesToResend += (int) sent; // the cast is safe, because the copy is small
    sent = 0;
    passed = 0;
    if (!replay.isEmpty()) {
      send(stream, replay.copy());
    }
    while (bufferedBytes() > 0 && buffered != null) {
      send(stream, buffered.take(Integer.MAX_VALUE));
    }
    return sendTrailers();
  }

  private long sendTrailers() {
    return backend == null || trailers == null ? 0 : HopByHopHeaders.send(backend, trailers, true);
  }

  private void send(Http2Stream stream, ByteBuf data) {
    record.outbound(data);
    passed += data.readableBytes();
    stream.sendData(data, app.requestEnded() && trailers == null && bufferedBytes() == 0);
  }

  /** Called when the backend's stream has ended; keeps or releases the stream's unsent data. */
  void close(PendingData unsent) {
    backend = null;
    int copied = replay.size();
    long sentBytes = passed - unsent.bytes();
    committed |= sentBytes > copied; // some bytes were sent but not copied
    if (committed) {
      commit();
      unsent.release();
      return;
    }
    int alsoCopied = (int) Math.min(unsent.bytes(), copied - sentBytes);
    unsent.skip(alsoCopied);
    if (!unsent.isEmpty()) {
      buffered = unsent;
    }
  }

  /** Called when bytes were sent to the backend; returns flow-control credit once per byte. */
  void onSent(int bytes) {
    sent += bytes;
    if (!committed && sent > replay.size()) {
      commit(); // more bytes were sent than copied: this attempt is the last (A6 "Buffering")
    }
    int resent = Math.min(bytesToResend, bytes);
    bytesToResend -= resent;
    if (bytes > resent) {
      app.stream.consumed(bytes - resent);
    }
  }

  void onData(ByteBuf data, boolean endStream) {
    record.requestData(data.readableBytes());
    if (endStream) {
      app.onRequestEnd();
    }
    int copied = replay.keep(data);
    if (backend != null) {
      send(backend, data);
    } else if (copied < data.readableBytes()) {
      if (buffered == null) {
        buffered = new PendingData();
      }
      ByteBuf remaining = data.skipBytes(copied).slice(); // the slice has its own indices
      buffered.add(remaining, true, data.alloc());
    } else {
      data.release();
    }
  }

  /**
   * Called when the app sent trailers, which are not relayed for a gRPC request (SC-14).
   *
   * @return see {@link #open}
   */
  long onTrailers(HeaderList received, boolean grpc) {
    app.onRequestEnd();
    if (!grpc) {
      trailers = HopByHopHeaders.trailers(received);
    } else if (backend != null) {
      backend.sendData(Unpooled.EMPTY_BUFFER, true);
    }
    return sendTrailers();
  }

  void release() {
    backend = null;
    commit();
    if (buffered != null) {
      buffered.release();
      buffered = null;
    }
  }

  private int bufferedBytes() {
    return buffered == null ? 0 : buffered.bytes();
  }
}
