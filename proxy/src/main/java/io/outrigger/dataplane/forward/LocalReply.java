package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import java.nio.charset.StandardCharsets;

/**
 * Answers that the proxy makes itself (CONTRACT section 5, SC-23 to SC-27): header blocks for gRPC,
 * status and text for other requests.
 */
public final class LocalReply {
  /** Longest {@code grpc-message}, encoded. */
  static final int MAX_MESSAGE = 4096;

  /** The {@code :status} of an answer to a request that breaks a rule. */
  static final int BAD_REQUEST = 400;

  /** The {@code :status} of an answer in the place of a response that there is not. */
  static final int UNAVAILABLE = 503;

  private static final AsciiString OK = AsciiString.cached("200");
  private static final AsciiString TEXT = AsciiString.cached("text/plain; charset=utf-8");
  private static final String NODE_ID = "xDS node ID:";
  private static final String CUT = "... ";
  private static final String HEX = "0123456789ABCDEF";

  private LocalReply() {}

  /**
   * {@code status} with the resolution note of its cluster at the end of its message, or else with
   * the node, unless it says one of them already: a picker's failure and a failed configuration
   * carry their note (A88).
   *
   * @param clusterNote empty before a cluster was chosen
   */
  static RpcStatus noted(RpcStatus status, LocalReason reason, String clusterNote, String nodeId) {
    String text = status.message();
    boolean hasNote =
        reason == LocalReason.NO_HEALTHY_UPSTREAM
            || reason == LocalReason.XDS_ERROR
            || text.contains(NODE_ID)
            || (!clusterNote.isEmpty() && text.contains(clusterNote));
    String note = clusterNote.isEmpty() ? NODE_ID + " " + nodeId : clusterNote;
    return hasNote || (clusterNote.isEmpty() && nodeId.isEmpty())
        ? status
        : new RpcStatus(status.code(), text + "; " + note);
  }

  /** A whole gRPC answer in one block. */
  static HeaderList trailersOnly(RpcStatus status, LocalReason reason) {
    var block =
        HeaderList.builder(5)
            .add(KnownName.STATUS, OK)
            .add(KnownName.CONTENT_TYPE, GrpcNames.APPLICATION_GRPC);
    return withStatus(block, status, reason);
  }

  /** The end of a gRPC answer whose headers went out before. */
  static HeaderList trailers(RpcStatus status, LocalReason reason) {
    return withStatus(HeaderList.builder(3), status, reason);
  }

  /** {@code last}, which lacks a gRPC status, with one. */
  static HeaderList completed(HeaderList last, RpcStatus status, LocalReason reason) {
    var block = HeaderList.builder(last.size() + 3);
    for (int i = 0; i < last.size(); i++) {
      block.add(last.field(i));
    }
    return withStatus(block, status, reason);
  }

  /** The header block of an answer that is not gRPC. */
  static HeaderList http(int status, LocalReason reason, int length) {
    return HeaderList.builder(4)
        .add(KnownName.STATUS, Integer.toString(status))
        .add(KnownName.CONTENT_TYPE, TEXT)
        .add(KnownName.CONTENT_LENGTH, Integer.toString(length))
        .add(GrpcNames.LOCAL, reason.text())
        .build();
  }

  /** The {@code :status} of an answer that is not gRPC. */
  static int httpStatus(RpcStatus status, LocalReason reason) {
    if (reason == LocalReason.NO_ROUTE) {
      return 404;
    }
    if (reason == LocalReason.BAD_REQUEST) {
      return BAD_REQUEST;
    }
    if (reason == LocalReason.HEADERS_TOO_LARGE) {
      return 431; // RFC 6585 section 5
    }
    return status.code() == RpcStatus.Code.DEADLINE_EXCEEDED ? 504 : UNAVAILABLE;
  }

  /** The same of an answer that the filters want. */
  static int httpStatus(FilterStep.Answer answer) {
    return answer.httpStatus() == 0
        ? httpStatus(answer.status(), LocalReason.FAULT)
        : answer.httpStatus();
  }

  private static HeaderList withStatus(
      HeaderList.Builder block, RpcStatus status, LocalReason reason) {
    RpcStatus allowed = reason.allowed(status);
    return block
        .add(KnownName.GRPC_STATUS, Integer.toString(allowed.code().number()))
        .add(KnownName.GRPC_MESSAGE, encode(allowed.message()))
        .add(GrpcNames.LOCAL, reason.text())
        .build();
  }

  /**
   * Percent-encodes for {@code grpc-message}. What is too long loses its middle: the end, which
   * names the node, stays.
   */
  static String encode(String message) {
    String whole = percentEncoded(message);
    if (whole.length() <= MAX_MESSAGE) {
      return whole;
    }
    int node = message.lastIndexOf(NODE_ID);
    if (node > 0 && message.charAt(node - 1) == '(') {
      node--;
    }
    String tail = node < 0 ? "" : percentEncoded(message.substring(node));
    if (tail.length() > MAX_MESSAGE / 2) {
      tail = "";
    }
    String head = whole.substring(0, MAX_MESSAGE - CUT.length() - tail.length());
    int escape = head.lastIndexOf('%');
    if (escape > head.length() - 3) {
      head = head.substring(0, escape); // never half an escape
    }
    return head + CUT + tail;
  }

  private static String percentEncoded(String message) {
    if (message.chars().allMatch(LocalReply::isPlain)) {
      return message;
    }
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    var out = new StringBuilder(bytes.length + 16);
    for (byte b : bytes) {
      if (isPlain(b)) {
        out.append((char) b);
      } else {
        out.append('%').append(HEX.charAt((b >> 4) & 0xf)).append(HEX.charAt(b & 0xf));
      }
    }
    return out.toString();
  }

  private static boolean isPlain(int c) {
    return c >= ' ' && c <= '~' && c != '%';
  }
}
