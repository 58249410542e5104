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
 * Carries what an app sends after its headers to the backend. While no stream to a backend is open
 * it is kept; credit is returned only when it went on, so that one stream window bounds it.
 *
 * <p>A request may have to be sent again. For that the beginning of its body is copied, and the
 * rest is taken back from the stream that did not send it: as long as no more has left than was
 * copied nothing is lost, whatever the size of the request (A6 "Memory Management", decision proxy
 * 0025). Bytes that are sent again earn no credit again.
 */
@LoopConfined
final class RequestRelay {
  private final DownstreamResponse app;
  private final CallStatsRecorder record;

  /** What follows {@link #replay} and no stream has; made when it is first needed. */
  private @Nullable PendingData kept;

  /** Of a plain request; they stay until its end, since they may be sent again. */
  private @Nullable HeaderList trailers;

  /** The beginning of the body; null when the request will not be sent again. */
  private @Nullable ReplayBuffer replay;

  private @Nullable Http2Stream backend;

  /** Whether more has left for a backend than can be sent again. */
  private boolean committed;

  /** Bytes that the stream of the current backend was given. */
  private long given;

  /** Bytes that have left for the current backend. */
  private long sent;

  /** Bytes that earn no credit when they leave: they have left for an earlier backend. */
  private int creditless;

  RequestRelay(DownstreamResponse app, CallStatsRecorder record) {
    this.app = app;
    this.record = record;
  }

  /** From now on the request is kept for more than one attempt, as far as {@code copy} goes. */
  void keepForReplay(ReplayBuffer copy) {
    PendingData known = kept;
    while (known != null && !known.isEmpty()) {
      ByteBuf data = known.take(Integer.MAX_VALUE);
      int copied = copy.keep(data);
      if (copied < data.readableBytes()) {
        PendingData rest = new PendingData();
        addTo(rest, data.skipBytes(copied));
        while (!known.isEmpty()) {
          addTo(rest, known.take(Integer.MAX_VALUE));
        }
        kept = rest;
        break;
      }
      data.release();
    }
    replay = copy;
  }

  /** Whether another backend can be given the whole request. */
  boolean canReplay() {
    return !committed;
  }

  /** The request will not be sent again: what is on its way goes on. */
  void commit() {
    committed = true;
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
    creditless += (int) sent; // no more than the copy has
    sent = 0;
    given = 0;
    boolean ended = app.requestEnded();
    if (replay != null && !replay.isEmpty()) {
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

  /** The backend's stream is no more; {@code unsent} of what it was given is ours again. */
  void close(PendingData unsent) {
    backend = null;
    long copied = replay == null ? 0 : replay.size();
    long from = given - unsent.bytes();
    committed |= from > copied; // some of it is nowhere
    if (committed) {
      commit();
      unsent.release();
      return;
    }
    unsent.skip((int) Math.min(unsent.bytes(), copied - from)); // the copy has these, too
    if (!unsent.isEmpty()) {
      kept = unsent;
    }
  }

  /** Bytes have left for the backend: the app may send as many, if they are the first time. */
  void onSent(int bytes) {
    sent += bytes;
    if (!committed && sent > (replay == null ? 0 : replay.size())) {
      giveUpReplay();
    }
    int repeated = Math.min(creditless, bytes);
    creditless -= repeated;
    if (bytes > repeated) {
      app.returnCredit(bytes - repeated);
    }
  }

  void onData(ByteBuf data, boolean endStream) {
    record.requestData(data.readableBytes());
    if (endStream) {
      app.onRequestEnd();
    }
    int copied = replay == null ? 0 : replay.keep(data);
    if (backend != null) {
      send(backend, data, endStream);
    } else if (copied < data.readableBytes()) {
      if (kept == null) {
        kept = new PendingData();
      }
      addTo(kept, data.skipBytes(copied).slice()); // its indices are not ours
    } else {
      data.release();
    }
  }

  /** Trailers of a request: gRPC has none, so they only end it (SC-14). */
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

  /** The call is over. */
  void release() {
    backend = null;
    commit();
    if (kept != null) {
      kept.release();
      kept = null;
    }
  }

  /** More has left than was copied: this attempt is the last (A6 "Buffering"). */
  private void giveUpReplay() {
    if (replay != null && replay.isForPolicy()) {
      record.notReplayable();
    }
    commit();
  }

  /** Nobody takes it for now: what is a small part of a read buffer is copied. */
  private static void addTo(PendingData data, ByteBuf more) {
    if (more.isReadable()) {
      data.add(more, true, more.alloc());
    } else {
      more.release();
    }
  }

  private int keptBytes() {
    return kept == null ? 0 : kept.bytes();
  }

  private boolean keepsNothing() {
    return keptBytes() == 0 && trailers == null && (replay == null || replay.isEmpty());
  }
}
