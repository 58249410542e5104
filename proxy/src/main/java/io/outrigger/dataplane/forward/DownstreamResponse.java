package io.outrigger.dataplane.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;

/**
 * Sends the response of a call to the app, and ends the app's stream.
 *
 * <p>If the response is complete before the request, the app gets RST_STREAM(NO_ERROR) (RFC 9113
 * section 8.1, SC-24). The reset is sent after the whole response was written, because a reset
 * drops pending data.
 */
@LoopConfined
final class DownstreamResponse {
  /** The maximum length of a content type that is copied from the request. */
  private static final int MAX_CONTENT_TYPE = 100;

  private static final AsciiString PROTO = AsciiString.cached("application/grpc+proto");
  private static final String HEAD = "HEAD";

  /** The progress of the response; a phase never goes back. */
  private enum Phase {
    /** The final headers were not sent yet; informational responses may have been sent. */
    AWAITED,
    /** Final headers were sent; only trailers or a reset can end the response. */
    BEGUN,
    /** The whole response was passed to the stream, but the app may not have read all of it. */
    COMPLETE,
    /** The response is complete; RST_STREAM(NO_ERROR) follows when the response is written. */
    STOPPING,
    /** The stream was closed or reset; nothing more is sent. */
    GONE
  }

  final Http2Stream stream;
  private final Executor loop;

  private boolean requestEnded;
  private Phase phase = Phase.AWAITED;

  DownstreamResponse(Http2Stream stream, Executor loop) {
    this.stream = stream;
    this.loop = loop;
  }

  void onRequestEnd() {
    requestEnded = true;
  }

  boolean requestEnded() {
    return requestEnded;
  }

  private void to(Phase next) {
    if (next.compareTo(phase) > 0) {
      phase = next;
    }
  }

  void gone() {
    to(Phase.GONE);
  }

  void headers(HeaderList headers) {
    to(Phase.BEGUN);
    stream.sendHeaders(headers, false);
  }

  void data(ByteBuf data, boolean endStream) {
    if (endStream) {
      to(Phase.COMPLETE);
    }
    stream.sendData(data, endStream);
  }

  /** Sends the last, and perhaps the only, header block of the response. */
  void end(HeaderList last) {
    to(Phase.COMPLETE);
    stream.sendHeaders(last, true);
  }

  /**
   * Answers on behalf of the backend: sends a whole response, or ends a response that has begun.
   *
   * @param httpStatus the {@code :status} for a request that is not gRPC
   */
  void reply(RequestHead head, RpcStatus status, LocalReason reason, int httpStatus) {
    if (head.isGrpc()) {
      if (reason == LocalReason.DEADLINE || reason == LocalReason.OVERLOAD) {
        stream.dropPending(); // otherwise a slow reader gets the status late (SC-08)
      }
      end(
          phase == Phase.AWAITED
              ? LocalReply.trailersOnly(contentType(head), status, reason)
              : LocalReply.trailers(status, reason));
    } else if (phase != Phase.AWAITED) {
      reset(reason == LocalReason.DEADLINE ? Http2Error.CANCEL : Http2Error.INTERNAL_ERROR);
    } else {
      var text = Unpooled.copiedBuffer(status.message() + "\n", StandardCharsets.UTF_8);
      headers(LocalReply.http(httpStatus, reason, text.readableBytes()));
      if (head.method().contentEquals(HEAD)) {
        text.clear(); // a reply to HEAD has no body, only its length
      }
      data(text, true);
    }
  }

  /**
   * Returns the content type of a Trailers-Only response. A client that sends {@code
   * application/grpc+json} accepts no other type; other clients accept {@code application/grpc}.
   */
  private static AsciiString contentType(RequestHead head) {
    AsciiString requested = head.headers().get(KnownName.CONTENT_TYPE);
    return requested == null
            || requested.length() > MAX_CONTENT_TYPE
            || !RequestHead.isGrpc(requested)
            || requested.contentEqualsIgnoreCase(PROTO)
        ? RequestHead.APPLICATION_GRPC
        : requested;
  }

  void reset(Http2Error error) {
    to(Phase.GONE);
    stream.reset(error);
  }

  /** Whether the response is complete but not yet fully written to the app. */
  boolean hasUnread() {
    return (phase == Phase.COMPLETE || phase == Phase.STOPPING) && stream.pendingBytes() > 0;
  }

  /** Handles a deadline that passed before the app had read the complete response (SC-08). */
  void expire(RequestHead head, RpcStatus status) {
    if (!hasUnread()) {
      return;
    }
    if (head.isGrpc()) {
      stream.dropPending();
      stream.sendHeaders(LocalReply.trailers(status, LocalReason.DEADLINE), true);
      onSent();
    } else {
      reset(Http2Error.CANCEL);
    }
  }

  /** Drops DATA of an ended call and returns its flow-control credit, which other streams need. */
  void discard(ByteBuf data, boolean endStream) {
    requestEnded |= endStream;
    int bytes = data.readableBytes();
    data.release();
    if (bytes > 0) {
      stream.consumed(bytes);
    }
  }

  /**
   * Resets the stream if the response is complete but the request is not. The request's end is
   * checked in a later task: the end of a unary request has often been read, but not yet processed,
   * when the response is complete.
   */
  void stop() {
    if (phase == Phase.COMPLETE && !requestEnded) {
      loop.execute(
          () -> {
            if (!requestEnded) {
              to(Phase.STOPPING);
              onSent();
            }
          });
    }
  }

  /** Resets the stream, because memory is short and the app does not read the response. */
  void drop() {
    if (phase != Phase.GONE) {
      reset(Http2Error.ENHANCE_YOUR_CALM);
    }
  }

  /** Called after each write: in phase {@code STOPPING}, resets the stream after the last write. */
  void onSent() {
    if (phase == Phase.STOPPING && stream.pendingBytes() == 0) {
      reset(Http2Error.NO_ERROR);
    }
  }
}
