package io.outrigger.dataplane.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The app's stream of a call: what was said to the app so far, and how to end it.
 *
 * <p>An app that has not ended its own half by the time the answer is complete is told to stop with
 * RST_STREAM(NO_ERROR) (RFC 9113 section 8.1, SC-24), but only once the answer has left: a reset
 * drops what waits.
 */
@LoopConfined
final class DownstreamResponse {
  private static final String HEAD = "HEAD";

  /** How far the response has come; only forwards. */
  private enum Phase {
    /** Informational responses at most were sent. */
    AWAITED,
    /** Headers were sent: only trailers or a reset are left to end it. */
    BEGUN,
    /** All of it is with the stream, which may wait for the app to read. */
    COMPLETE,
    /** Complete, and followed by RST_STREAM(NO_ERROR) as soon as it has left. */
    STOPPING,
    /** The stream is no more, or was reset: nothing is said. */
    GONE
  }

  private final Http2Stream stream;
  private final Executor loop;

  /** Whose decision the app asked for; null when it did not. */
  private @Nullable CallSummary told;

  private boolean requestEnded;
  private Phase phase = Phase.AWAITED;

  DownstreamResponse(Http2Stream stream, Executor loop) {
    this.stream = stream;
    this.loop = loop;
  }

  /** The end of the response tells what became of {@code call}. */
  void tell(CallSummary call) {
    told = call;
  }

  /** The app ended its half. */
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

  /** The app's stream is no more; nothing is said from now on. */
  void gone() {
    to(Phase.GONE);
  }

  void informational(HeaderList headers) {
    stream.sendHeaders(headers, false);
  }

  void headers(HeaderList headers) {
    to(Phase.BEGUN);
    stream.sendHeaders(headers, false);
  }

  void data(ByteBuf data, boolean endStream) {
    if (endStream && told != null) {
      stream.sendData(data, false);
      end(HeaderList.EMPTY);
      return;
    }
    if (endStream) {
      to(Phase.COMPLETE);
    }
    stream.sendData(data, endStream);
  }

  /** The last block of the response, which may be its only one. */
  void end(HeaderList last) {
    to(Phase.COMPLETE);
    stream.sendHeaders(told == null ? last : CallDecision.appended(last, told), true);
  }

  /**
   * Answers in the backend's place: a whole reply, or the end of one that was begun.
   *
   * @param httpStatus of an answer that is not gRPC
   */
  void reply(RequestHead head, RpcStatus status, LocalReason reason, int httpStatus) {
    if (head.isGrpc()) {
      if (reason == LocalReason.DEADLINE || reason == LocalReason.OVERLOAD) {
        stream.dropPending(); // an app that does not read is told in time, too (SC-08)
      }
      end(
          phase == Phase.AWAITED
              ? LocalReply.trailersOnly(status, reason)
              : LocalReply.trailers(status, reason));
    } else if (phase != Phase.AWAITED) {
      reset(reason == LocalReason.DEADLINE ? Http2Error.CANCEL : Http2Error.INTERNAL_ERROR);
    } else {
      var text = Unpooled.copiedBuffer(status.message() + "\n", StandardCharsets.UTF_8);
      headers(LocalReply.http(httpStatus, reason, text.readableBytes()));
      boolean bodiless = head.method().contentEquals(HEAD);
      data(bodiless ? empty(text) : text, true);
    }
  }

  void reset(Http2Error error) {
    to(Phase.GONE);
    stream.reset(error);
  }

  /** See {@link Http2Stream#maxHeaderListBytes}. */
  long maxHeaderListBytes() {
    return stream.maxHeaderListBytes();
  }

  /** Bytes of the request have gone on: the app may send as many. */
  void returnCredit(int bytes) {
    stream.consumed(bytes);
  }

  /** Whether the answer is complete and the app has not taken all of it. */
  boolean hasUnread() {
    return (phase == Phase.COMPLETE || phase == Phase.STOPPING) && stream.pendingBytes() > 0;
  }

  /** The time of a call is over whose answer is complete and was not read (SC-08). */
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

  /** Drops DATA of a call that is over, without stopping the app's other streams. */
  void discard(ByteBuf data, boolean endStream) {
    requestEnded |= endStream;
    int bytes = data.readableBytes();
    data.release();
    if (bytes > 0) {
      stream.consumed(bytes);
    }
  }

  /**
   * The answer is complete. The end of the request may stand in what has been read with its head: a
   * unary call that fails here is not to be reset.
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

  /** Memory is short, and the answer was not read. */
  void drop() {
    if (phase != Phase.GONE) {
      reset(Http2Error.ENHANCE_YOUR_CALM);
    }
  }

  /** Some of what waited has left. */
  void onSent() {
    if (phase == Phase.STOPPING && stream.pendingBytes() == 0) {
      reset(Http2Error.NO_ERROR);
    }
  }

  private static ByteBuf empty(ByteBuf instead) {
    instead.release();
    return Unpooled.EMPTY_BUFFER;
  }
}
