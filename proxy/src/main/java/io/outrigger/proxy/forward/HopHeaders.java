package io.outrigger.proxy.forward;

import io.netty.util.AsciiString;
import io.outrigger.proxy.http2.HeaderField;
import io.outrigger.proxy.http2.HeaderList;
import io.outrigger.proxy.http2.KnownName;
import org.jspecify.annotations.Nullable;

/**
 * Header hygiene between two hops: what belongs to one connection stays there, what names the
 * destination is rewritten, everything else goes on as it came, in order (SC-29, SC-30, SC-32).
 */
final class HopHeaders {
  private static final HeaderField HTTP = HeaderField.of(KnownName.SCHEME, "http");

  private static final AsciiString TRAILERS = AsciiString.cached("trailers");

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
      HeaderField authority,
      @Nullable HeaderField timeout,
      int previousAttempts) {
    if (!head.headers().recurs() || previousAttempts > 0) {
      return collected(head, authority, timeout, previousAttempts).build();
    }
    HeaderList known = head.upstream(authority, timeout);
    if (known == null) {
      known = collected(head, authority, timeout, 0).buildRecurring();
      head.upstream(authority, timeout, known);
    }
    return known;
  }

  private static HeaderList.Builder collected(
      RequestHead head,
      HeaderField authority,
      @Nullable HeaderField timeout,
      int previousAttempts) {
    HeaderList from = head.headers();
    var to = HeaderList.builder(from.size() + 2);
    boolean named = false;
    for (int i = 0; i < from.size(); i++) {
      HeaderField field = from.field(i);
      if (!named && (!field.name().isPseudo() || field.known() == KnownName.AUTHORITY)) {
        to.add(authority);
        named = true;
      }
      switch (field.known()) {
        case AUTHORITY, // sent above
            HOST,
            CONNECTION,
            KEEP_ALIVE,
            PROXY_CONNECTION,
            TRANSFER_ENCODING,
            UPGRADE,
            WAIT_FOR_READY -> {}
        case SCHEME -> to.add(HTTP);
        case TE -> {
          if (field.value().contentEqualsIgnoreCase(TRAILERS)) {
            to.add(field);
          }
        }
        case GRPC_TIMEOUT, PREVIOUS_ATTEMPTS -> { // SC-31
          if (!head.isGrpc()) {
            to.add(field);
          }
        }
        default -> to.add(field);
      }
    }
    if (!named) {
      to.add(authority);
    }
    if (timeout != null) {
      to.add(timeout);
    }
    if (previousAttempts > 0) {
      to.add(HeaderField.of(KnownName.PREVIOUS_ATTEMPTS, Integer.toString(previousAttempts)));
    }
    return to;
  }
}
