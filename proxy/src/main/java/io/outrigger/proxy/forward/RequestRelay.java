package io.outrigger.proxy.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.proxy.http2.HeaderList;
import io.outrigger.proxy.http2.Http2Stream;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Carries what an app sends after its headers to the backend. While no stream to a backend is open
 * it is kept; credit is returned only when it went on, so that one stream window bounds it.
 *
 * <p>A request that may be sent again is also copied, until it is known that it will not be or has
 * outgrown its copy: till then the copy has all bytes and nothing else is kept. Bytes that are sent
 * again earn no credit again.
 */
@LoopConfined
final class RequestRelay {
  private final AppSide app;
  private final CallRecord record;

  /** Made when it is first needed: most requests are never kept. */
  private @Nullable ArrayDeque<ByteBuf> kept;

  /** Of a plain request; they stay until its end, since they may be sent again. */
  private @Nullable HeaderList trailers;

  private @Nullable ReplayBuffer replay;
  private @Nullable Http2Stream backend;
  private boolean sentAny;

  /** Bytes that have left for the current backend, and for any backend. */
  private long sent;

  private long credited;

  RequestRelay(AppSide app, CallRecord record) {
    this.app = app;
    this.record = record;
  }

  /** From now on the request is kept for more than one attempt, as far as {@code copy} goes. */
  void keepForReplay(ReplayBuffer copy) {
    if (kept != null) {
      for (ByteBuf data : kept) {
        if (!copy.keep(data)) {
          outgrown(copy);
          copy.release();
          return;
        }
      }
      releaseKept();
    }
    replay = copy;
  }

  /** Whether another backend can be given the whole request. */
  boolean canReplay() {
    return !sentAny || replay != null;
  }

  /** The request will not be sent again: what is on its way goes on. */
  void commit() {
    if (replay != null) {
      replay.release();
      replay = null;
    }
  }

  boolean isOpen() {
    return backend != null;
  }

  /** Whether the request, as far as it is known, is its head alone. */
  boolean endsWithHead() {
    return app.requestEnded() && keepsNothing();
  }

  /**
   * Sends everything kept on {@code stream}, which has the head; what comes from now on follows at
   * once.
   */
  void open(Http2Stream stream) {
    backend = stream;
    sent = 0;
    boolean ended = app.requestEnded();
    if (replay != null && !replay.isEmpty()) {
      send(stream, replay.copy(), ended && trailers == null);
    }
    ByteBuf data;
    while ((data = takeKept()) != null) {
      send(stream, data, ended && keepsNothing());
    }
    if (trailers != null) {
      sentAny = true;
      stream.sendHeaders(trailers, true);
    }
  }

  private void send(Http2Stream stream, ByteBuf data, boolean endStream) {
    sentAny |= data.isReadable();
    record.outbound(data);
    stream.sendData(data, endStream);
  }

  /** The backend's stream is no more. */
  void close() {
    backend = null;
  }

  /** Bytes have left for the backend: the app may send as many, if they are the first time. */
  void onSent(int bytes) {
    sent += bytes;
    if (sent > credited) {
      app.returnCredit((int) (sent - credited));
      credited = sent;
    }
  }

  void onData(ByteBuf data, boolean endStream) {
    record.requestData(data.readableBytes());
    if (endStream) {
      app.onRequestEnd();
    }
    if (replay != null && !replay.keep(data)) {
      giveUpReplay(replay);
    }
    if (backend != null) {
      send(backend, data, endStream);
    } else if (replay == null && data.isReadable()) {
      keep(data.slice()); // its indices are not ours
    } else {
      data.release();
    }
  }

  /** Trailers of a request: gRPC has none, so they only end it (SC-14). */
  void onTrailers(HeaderList block, boolean grpc) {
    app.onRequestEnd();
    trailers = grpc ? null : block;
    if (backend == null) {
      return;
    }
    if (grpc) {
      backend.sendData(Unpooled.EMPTY_BUFFER, true);
    } else {
      sentAny = true;
      backend.sendHeaders(block, true);
    }
  }

  /** The call is over. */
  void release() {
    backend = null;
    commit();
    releaseKept();
  }

  /** The request has outgrown its copy: this attempt, or the next, is the last (A6 "Buffering"). */
  private void giveUpReplay(ReplayBuffer copy) {
    outgrown(copy);
    if (backend == null && !copy.isEmpty()) {
      keep(copy.copy());
    }
    commit();
  }

  private void outgrown(ReplayBuffer copy) {
    if (copy.isForPolicy()) {
      record.notReplayable();
    }
  }

  private void releaseKept() {
    ByteBuf data;
    while ((data = takeKept()) != null) {
      data.release();
    }
  }

  private void keep(ByteBuf data) {
    if (kept == null) {
      kept = new ArrayDeque<>(4);
    }
    kept.add(data);
  }

  private boolean keepsNothing() {
    return (kept == null || kept.isEmpty())
        && trailers == null
        && (replay == null || replay.isEmpty());
  }

  private @Nullable ByteBuf takeKept() {
    return kept == null ? null : kept.poll();
  }
}
