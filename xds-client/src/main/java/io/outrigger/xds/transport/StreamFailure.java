package io.outrigger.xds.transport;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.netty.handler.ssl.NotSslRecordException;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.SocketErrors;
import io.outrigger.identity.certificate.PeerRole;
import io.outrigger.identity.tls.TlsFailure;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Describes in one line why a stream has ended. When a connection fails, gRPC's own description is
 * a general phrase with a list of channel handlers. The reason is in the causes of the exception.
 */
final class StreamFailure {
  private static final Set<String> GENERAL =
      Set.of("", "io exception", "ssl exception", "channel closed", "unknown");

  /** Matches a JWT or an access token of Google, which the error message of a server may quote. */
  private static final Pattern TOKEN =
      Pattern.compile("(?<![\\w-])eyJ[\\w-]{5,}+\\.[\\w.-]{8,}|ya29\\.[\\w.~+/=-]{8,}");

  private static final String NEGOTIATION =
      "Connection closed while performing protocol negotiation";

  /** gRPC's text for a connection that ends without a GOAWAY. */
  private static final String CLOSED = "Network closed for unknown reason";

  /** gRPC's text for a message above the limit of {@link GrpcAdsTransport#maxResponseBytes}. */
  private static final String TOO_LARGE = "gRPC message exceeds maximum";

  private static final String WITHOUT_REASON =
      "the server closed the connection without a reason; look in its log";

  private StreamFailure() {}

  static RpcStatus toRpcStatus(Status status) {
    if (status.getCode() == Status.Code.CANCELLED
        && status.getCause() instanceof StatusRuntimeException unreadable) {
      return toRpcStatus(unreadable.getStatus()); // gRPC cancelled the call for this reason
    }
    boolean isLocal = status.getCode() == Status.Code.UNKNOWN && status.getCause() != null;
    Status.Code code = isLocal ? Status.Code.UNAVAILABLE : status.getCode(); // a lost connection
    String text = TOKEN.matcher(describe(status)).replaceAll("…");
    return new RpcStatus(RpcStatus.Code.ofNumber(code.value()), text);
  }

  private static String describe(Status status) {
    String text = status.getDescription() == null ? "" : status.getDescription();
    String description = text.lines().findFirst().orElse("");
    if (description.startsWith(NEGOTIATION)) {
      return "the server closed the connection before it spoke HTTP/2";
    }
    if (description.equals(CLOSED)) {
      return WITHOUT_REASON;
    }
    if (description.contains(TOO_LARGE)) {
      return description + " bytes; the limit is a quarter of the heap, at most 64 MiB";
    }
    Throwable cause = status.getCause();
    if (cause == null) {
      return description;
    }
    if (GENERAL.contains(description)) {
      return reason(cause);
    }
    String more = cause.getMessage() == null ? "" : cause.getMessage();
    return description.contains(more) ? description : description + ": " + more;
  }

  private static String reason(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ClosedChannelException) {
        return WITHOUT_REASON;
      }
      if (each instanceof SSLException
          || each instanceof GeneralSecurityException
          || each instanceof NotSslRecordException) {
        return TlsFailure.describe(failure, PeerRole.SERVER);
      }
    }
    return SocketErrors.describe(failure);
  }
}
