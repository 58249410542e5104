package io.outrigger.dataplane.forward;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import io.outrigger.lb.CallOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Forwards a backend's response to the app unchanged, and reads the outcome of the call from this
 * response. If a gRPC response ends without a status, the relay adds a status (SC-17).
 */
@LoopConfined
final class ResponseRelay {
  private final ForwardedCall call;
  private final EndpointAddress address;
  private int status;

  /** The {@code grpc-status} of response headers that did not end the stream; null when absent. */
  private @Nullable AsciiString headStatus;

  private boolean owesGrpcStatus;
  private boolean ended;
  private boolean succeeded;

  ResponseRelay(ForwardedCall call, EndpointAddress address) {
    this.call = call;
    this.address = address;
  }

  /** Whether the final response headers have arrived; informational headers do not count. */
  boolean hasBegun() {
    return status != 0;
  }

  boolean hasEnded() {
    return ended;
  }

  /** The outcome for load balancing; FAILURE until the response has ended successfully. */
  CallOutcome outcome() {
    return succeeded ? CallOutcome.SUCCESS : CallOutcome.FAILURE;
  }

  void onHeaders(HeaderList headers, boolean endStream) {
    if (status != 0) {
      onEnd(HopByHopHeaders.trailers(headers));
      return;
    }
    int code = statusOf(headers);
    if (code < 200) {
      if (!call.isGrpc()) { // SC-39
        var unused = HopByHopHeaders.send(call.app.stream, headers.without(KnownName.LOCAL), false);
      }
      return;
    }
    status = code;
    call.record.responded(code);
    headStatus = grpcStatus(headers);
    owesGrpcStatus = call.isGrpc() && code == 200 && isGrpc(headers) && headStatus == null;
    HeaderList head = call.filtered(headers.without(KnownName.LOCAL)); // backends may not set it
    if (endStream) {
      onEnd(head);
    } else if (isAccepted(head)) {
      call.app.headers(head);
    }
  }

  /** Whether the app accepts a header list; ends the call if the list is too large. */
  private boolean isAccepted(HeaderList list) {
    long limit = call.app.stream.maxHeaderListBytes();
    long bytes = limit == Long.MAX_VALUE ? 0 : list.listBytes();
    if (bytes <= limit) {
      return true;
    }
    call.reply(
        CallFailures.beyondPeersLimit(
            "a header list of the response of " + address, bytes, "the app", limit),
        LocalReason.HEADERS_TOO_LARGE,
        LocalReason.HTTP_UNAVAILABLE);
    return false;
  }

  void onData(ByteBuf data, boolean endStream) {
    call.record.inbound(data);
    if (!endStream) {
      call.app.data(data, false);
    } else if (!owesGrpcStatus) {
      settle(HeaderList.EMPTY);
      call.app.data(data, true);
    } else {
      if (data.isReadable()) {
        call.app.data(data, false);
      } else {
        data.release();
      }
      onEnd(HeaderList.EMPTY);
    }
  }

  /** Handles trailers, or a whole response in one header block. */
  private void onEnd(HeaderList last) {
    if (!isAccepted(last)) {
      return;
    }
    settle(last);
    if (!owesGrpcStatus || last.contains(KnownName.GRPC_STATUS)) {
      call.app.end(last);
      return;
    }
    String text = address + " ended the response without grpc-status";
    LocalReason reason = LocalReason.MISSING_STATUS;
    RpcStatus unknown = call.noted(new RpcStatus(Code.UNKNOWN, text), reason);
    call.record.local(unknown, reason, status);
    call.app.end(LocalReply.completed(last, unknown, reason));
  }

  /** Sets the status that load balancing and metrics use for the call (SC-18, SC-28, A50). */
  private void settle(HeaderList last) {
    ended = true;
    Code code;
    if (call.isGrpc()) {
      AsciiString text = last.contains(KnownName.GRPC_STATUS) ? grpcStatus(last) : headStatus;
      code = text == null ? Code.ofHttpStatus(status) : codeOf(text);
    } else {
      code = status < 500 ? Code.OK : Code.UNKNOWN;
    }
    call.record.grpcStatus(code);
    succeeded = code == Code.OK;
  }

  /**
   * Reads the first header block of a response to a gRPC call. Returns the gRPC status code of the
   * failure that the block reports; null if the block reports no failure (SC-18). The code is the
   * {@code grpc-status} of a Trailers-Only response; without this field, the code is derived from
   * the HTTP status.
   */
  static @Nullable Code failureOf(HeaderList head, boolean endStream) {
    int status = statusOf(head);
    if (status < 200) {
      return null;
    }
    AsciiString text = endStream ? grpcStatus(head) : null;
    if (text != null) {
      Code code = codeOf(text);
      return code == Code.OK ? null : code;
    }
    boolean begins = !endStream && status == 200 && isGrpc(head);
    return begins ? null : Code.ofHttpStatus(status);
  }

  /** Returns the last {@code grpc-status}, which clients use; null when absent. */
  private static @Nullable AsciiString grpcStatus(HeaderList last) {
    HeaderField field = last.findLast(KnownName.GRPC_STATUS);
    return field == null ? null : field.value();
  }

  private static Code codeOf(AsciiString text) {
    int number = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.byteAt(i) - '0';
      if (digit < 0 || digit > 9 || number > 99) {
        return Code.UNKNOWN;
      }
      number = number * 10 + digit;
    }
    return text.isEmpty() ? Code.UNKNOWN : Code.ofNumber(number);
  }

  /**
   * Whether the response is treated as gRPC: its content-type is gRPC or absent. If a gRPC response
   * ends without {@code grpc-status}, the proxy adds one.
   */
  private static boolean isGrpc(HeaderList headers) {
    AsciiString contentType = headers.get(KnownName.CONTENT_TYPE);
    return contentType == null || RequestHead.isGrpc(contentType);
  }

  private static int statusOf(HeaderList headers) {
    AsciiString status = headers.get(KnownName.STATUS);
    return status == null ? 200 : status.parseInt(); // the connection accepts only three digits
  }
}
