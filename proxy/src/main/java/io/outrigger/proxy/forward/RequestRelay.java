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
 */
@LoopConfined
final class RequestRelay {
  private final AppSide app;
  private final CallRecord record;

  /** Made when it is first needed: most requests are never kept. */
  private @Nullable ArrayDeque<ByteBuf> kept;

  private @Nullable HeaderList keptTrailers;
  private @Nullable Http2Stream backend;
  private boolean sentAny;

  RequestRelay(AppSide app, CallRecord record) {
    this.app = app;
    this.record = record;
  }

  /** Whether something after the headers was given to a backend, and is gone. */
  boolean hasSentAny() {
    return sentAny;
  }

  boolean isOpen() {
    return backend != null;
  }

  /** Sends the request's head and everything kept; what comes from now on follows at once. */
  void open(Http2Stream stream, HeaderList head) {
    backend = stream;
    boolean ended = app.requestEnded();
    stream.sendHeaders(head, ended && keepsNothing());
    ByteBuf data;
    while ((data = takeKept()) != null) {
      sentAny = true;
      stream.sendData(data, ended && keepsNothing());
    }
    if (keptTrailers != null) {
      sentAny = true;
      stream.sendHeaders(keptTrailers, true);
      keptTrailers = null;
    }
  }

  /** The backend's stream is no more. */
  void close() {
    backend = null;
  }

  void onData(ByteBuf data, boolean endStream) {
    record.requestData(data.readableBytes());
    if (endStream) {
      app.onRequestEnd();
    }
    if (backend != null) {
      sentAny |= data.isReadable();
      backend.sendData(data, endStream);
    } else if (data.isReadable()) {
      keep(data);
    } else {
      data.release();
    }
  }

  /** Trailers of a request: gRPC has none, so they only end it (SC-14). */
  void onTrailers(HeaderList trailers, boolean grpc) {
    app.onRequestEnd();
    if (backend == null) {
      keptTrailers = grpc ? null : trailers;
    } else if (grpc) {
      backend.sendData(Unpooled.EMPTY_BUFFER, true);
    } else {
      sentAny = true;
      backend.sendHeaders(trailers, true);
    }
  }

  /** The call is over. */
  void release() {
    backend = null;
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
    return (kept == null || kept.isEmpty()) && keptTrailers == null;
  }

  private @Nullable ByteBuf takeKept() {
    return kept == null ? null : kept.poll();
  }
}
