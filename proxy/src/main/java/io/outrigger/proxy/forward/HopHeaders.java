package io.outrigger.proxy.forward;

import io.netty.util.AsciiString;
import io.outrigger.proxy.http2.HeaderList;
import org.jspecify.annotations.Nullable;

/**
 * Header hygiene between two hops: what belongs to one connection stays there, what names the
 * destination is rewritten, everything else goes on as it came, in order (SC-29, SC-30, SC-32).
 */
final class HopHeaders {
  private static final AsciiString HTTP = AsciiString.cached("http");
  private static final AsciiString TRAILERS = AsciiString.cached("trailers");
  private static final AsciiString TE = AsciiString.cached("te");
  private static final AsciiString HOST = AsciiString.cached("host");
  private static final AsciiString UPGRADE = AsciiString.cached("upgrade");
  private static final AsciiString CONNECTION = AsciiString.cached("connection");
  private static final AsciiString KEEP_ALIVE = AsciiString.cached("keep-alive");
  private static final AsciiString PROXY_CONNECTION = AsciiString.cached("proxy-connection");
  private static final AsciiString TRANSFER_ENCODING = AsciiString.cached("transfer-encoding");

  private HopHeaders() {}

  /**
   * The header block that goes upstream.
   *
   * @param authority replaces the app's; added when it sent none
   * @param timeout the {@code grpc-timeout} to send; null: none
   * @param previousAttempts how often the request was sent before, as the policy counts (A44-11)
   */
  static HeaderList upstream(
      RequestHead head,
      AsciiString authority,
      @Nullable AsciiString timeout,
      int previousAttempts) {
    HeaderList from = head.headers();
    var to = HeaderList.builder(from.size() + 2);
    boolean named = false;
    for (int i = 0; i < from.size(); i++) {
      AsciiString name = from.name(i);
      boolean pseudo = name.length() > 0 && name.byteAt(0) == ':';
      if (!named && (!pseudo || name.equals(HeaderList.AUTHORITY))) {
        to.add(HeaderList.AUTHORITY, authority);
        named = true;
      }
      if (pseudo) {
        if (name.equals(HeaderList.SCHEME)) {
          to.add(HeaderList.SCHEME, HTTP);
        } else if (!name.equals(HeaderList.AUTHORITY)) {
          to.add(name, from.value(i));
        }
      } else if (passes(name, from.value(i), head.isGrpc())) {
        to.add(name, from.value(i));
      }
    }
    if (!named) {
      to.add(HeaderList.AUTHORITY, authority);
    }
    if (timeout != null) {
      to.add(GrpcNames.GRPC_TIMEOUT, timeout);
    }
    if (previousAttempts > 0) {
      to.add(GrpcNames.PREVIOUS_ATTEMPTS, Integer.toString(previousAttempts));
    }
    return to.build();
  }

  /** Fields that end here are told by their length before they are compared. */
  private static boolean passes(AsciiString name, AsciiString value, boolean grpc) {
    return switch (name.length()) {
      case 2 -> !name.equals(TE) || value.contentEqualsIgnoreCase(TRAILERS);
      case 4 -> !name.equals(HOST);
      case 7 -> !name.equals(UPGRADE);
      case 10 -> !name.equals(CONNECTION) && !name.equals(KEEP_ALIVE);
      case 12 -> !grpc || !name.equals(GrpcNames.GRPC_TIMEOUT);
      case 16 -> !name.equals(PROXY_CONNECTION);
      case 17 -> !name.equals(TRANSFER_ENCODING);
      case 26 ->
          !name.equals(GrpcNames.WAIT_FOR_READY)
              && (!grpc || !name.equals(GrpcNames.PREVIOUS_ATTEMPTS)); // SC-31
      default -> true;
    };
  }
}
