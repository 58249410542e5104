package io.outrigger.dataplane.forward;

import static java.util.Objects.requireNonNull;

import io.netty.util.AsciiString;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds the responses that the proxy generates itself (CONTRACT section 5, SC-23 to SC-27). A gRPC
 * request gets a header block; any other request gets an HTTP status and a text.
 */
public final class LocalReply {
  /** The maximum length of an encoded {@code grpc-message}. */
  static final int MAX_MESSAGE = 4096;

  private static final AsciiString OK = AsciiString.cached("200");
  private static final AsciiString TEXT = AsciiString.cached("text/plain; charset=utf-8");
  private static final String NODE_ID = "xDS node ID:";
  private static final String CUT = "... ";

  private static final Map<LocalReason, HeaderField> REASONS =
      Stream.of(LocalReason.values())
          .collect(
              Collectors.toMap(
                  reason -> reason, reason -> HeaderField.of(KnownName.LOCAL, reason.word())));

  private LocalReply() {}

  /**
   * Appends the cluster's resolution note to the message of a status. If the resolution note is
   * empty, the node ID is appended. Nothing is appended to a message that already contains a
   * resolution note (A88).
   *
   * @param clusterNote the resolution note of the cluster; empty before a cluster was chosen
   */
  static RpcStatus noted(RpcStatus status, LocalReason reason, String clusterNote, String nodeId) {
    String text = status.message();
    boolean hasNote =
        reason == LocalReason.NO_HEALTHY_UPSTREAM
            || reason == LocalReason.XDS_ERROR
            || text.contains(NODE_ID)
            || (!clusterNote.isEmpty() && text.contains(clusterNote));
    String nodeNote = nodeId.isEmpty() ? "" : NODE_ID + " " + nodeId;
    return hasNote ? status : status.withNote(clusterNote.isEmpty() ? nodeNote : clusterNote);
  }

  /** Builds a whole gRPC response in one header block. */
  static HeaderList trailersOnly(AsciiString contentType, RpcStatus status, LocalReason reason) {
    var block =
        HeaderList.builder(5).add(KnownName.STATUS, OK).add(KnownName.CONTENT_TYPE, contentType);
    return withStatus(block, status, reason);
  }

  /** Builds the trailers of a gRPC response whose headers were already sent. */
  static HeaderList trailers(RpcStatus status, LocalReason reason) {
    return withStatus(HeaderList.builder(3), status, reason);
  }

  /** Returns a copy of the last header block of a response, with a status added. */
  static HeaderList completed(HeaderList last, RpcStatus status, LocalReason reason) {
    return withStatus(HeaderList.builder(last.size() + 3).addAll(last), status, reason);
  }

  /** Builds the header block with which the proxy answers a request that is not gRPC. */
  static HeaderList http(int status, LocalReason reason, int length) {
    return HeaderList.builder(4)
        .add(KnownName.STATUS, Integer.toString(status))
        .add(KnownName.CONTENT_TYPE, TEXT)
        .add(KnownName.CONTENT_LENGTH, Integer.toString(length))
        .add(requireNonNull(REASONS.get(reason)))
        .build();
  }

  private static HeaderList withStatus(
      HeaderList.Builder block, RpcStatus status, LocalReason reason) {
    RpcStatus allowed = reason.allowed(status);
    return block
        .add(KnownName.GRPC_STATUS, Integer.toString(allowed.code().number()))
        .add(KnownName.GRPC_MESSAGE, encode(allowed.message()))
        .add(requireNonNull(REASONS.get(reason)))
        .build();
  }

  /**
   * Percent-encodes a message for {@code grpc-message}. A long text is cut in the middle, so that
   * the node ID at its end remains.
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
      head = head.substring(0, escape); // removes an escape that would be cut
    }
    return head + CUT + tail;
  }

  private static String percentEncoded(String message) {
    return PlainText.percentEncoded(message, c -> PlainText.isPrintableAscii(c) && c != '%');
  }
}
