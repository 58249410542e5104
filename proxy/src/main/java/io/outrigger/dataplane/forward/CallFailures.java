package io.outrigger.dataplane.forward;

import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.http2.Http2Error;
import io.outrigger.lb.tree.ClusterHandle;
import org.jspecify.annotations.Nullable;

/** The statuses with which calls fail. Each status message says what failed and where. */
final class CallFailures {
  private CallFailures() {}

  static RpcStatus malformedTimeout(CharSequence text) {
    return RpcStatus.internal("malformed grpc-timeout: \"" + text + "\"");
  }

  static RpcStatus badRequest(String reason) {
    return RpcStatus.internal("bad request: " + reason);
  }

  static RpcStatus headersTooLarge() {
    return new RpcStatus(
        Code.RESOURCE_EXHAUSTED, "the request's header list is too large (--max-header-bytes)");
  }

  static RpcStatus queueFull(Forward forward, Caller caller) {
    return RpcStatus.unavailable(
        caller instanceof Caller.Remote
            ? "too many requests wait for the app"
            : "too many requests wait in forward \"" + forward.name() + "\"");
  }

  static RpcStatus memoryFull() {
    return RpcStatus.unavailable("requests hold as much memory as allowed (--max-memory)");
  }

  /** The gRPC code for a reset, as gRPC's protocol maps the error codes of HTTP/2 (SC-15). */
  private static Code codeOf(Http2Error error) {
    return switch (error) {
      case CANCEL -> Code.CANCELLED;
      case ENHANCE_YOUR_CALM -> Code.RESOURCE_EXHAUSTED;
      case INADEQUATE_SECURITY -> Code.PERMISSION_DENIED;
      case REFUSED_STREAM -> Code.UNAVAILABLE;
      default -> Code.INTERNAL;
    };
  }

  static RpcStatus ofReset(Http2Error error, String address) {
    return new RpcStatus(codeOf(error), address + " reset the stream: " + error);
  }

  /** The status of a call whose backend violated HTTP/2 or exceeded a limit of the proxy. */
  static RpcStatus ofFault(Http2Error error, String reason, String address) {
    return error == Http2Error.ENHANCE_YOUR_CALM
        ? new RpcStatus(Code.RESOURCE_EXHAUSTED, "response of " + address + ": " + reason)
        : RpcStatus.internal(address + " broke the protocol: " + reason);
  }

  /** The status for a header list larger than the peer accepts (RFC 9113 section 6.5.2). */
  static RpcStatus beyondPeersLimit(String list, long bytes, String peer, long limit) {
    return new RpcStatus(
        Code.RESOURCE_EXHAUSTED,
        "%s has %d bytes, %s takes at most %d (SETTINGS_MAX_HEADER_LIST_SIZE)"
            .formatted(list, bytes, peer, limit));
  }

  /** The status of a call whose connection to the backend was lost (SC-16). */
  static RpcStatus ofLoss(String reason, String address) {
    return RpcStatus.unavailable("connection to " + address + " lost: " + reason);
  }

  // Texts that describe why a call waits.

  /** Describes a missing configuration, with the reason if known. */
  static String configuration(ForwardTarget target) {
    ConfigSelector selector = target.selector();
    return "the configuration of "
        + target.name()
        + (selector == null
            ? ""
            : selector.failure().map(failure -> ": " + failure.message()).orElse(""));
  }

  /**
   * The status of a call whose deadline passed (SC-09).
   *
   * @param waitedFor a text of this class that says what the call waits for; empty before routing
   */
  static RpcStatus deadline(long limitNanos, String waitedFor) {
    String prefix = "deadline exceeded after " + limitNanos / 1_000_000 + "ms";
    return new RpcStatus(
        RpcStatus.Code.DEADLINE_EXCEEDED,
        waitedFor.isEmpty() ? prefix : prefix + ", waiting for " + waitedFor);
  }

  /** Describes a call in a back-off between two attempts (SC-10). */
  static String nextAttempt(ClusterHandle cluster, RpcStatus failure) {
    return "another attempt in " + quoted(cluster) + " after " + failure;
  }

  /** The status of an attempt whose response is not relayed, because the call is retried. */
  static RpcStatus ofAnswer(Code code, String address) {
    return new RpcStatus(code, address + " answered " + code);
  }

  static String response(ClusterHandle cluster, String address) {
    return "the response of " + address + " in " + quoted(cluster);
  }

  static String stream(ClusterHandle cluster, String address) {
    return "a stream to " + address + " in " + quoted(cluster);
  }

  static String connection(ClusterHandle cluster, @Nullable RpcStatus lastFailure) {
    String state = "a connection in " + quoted(cluster) + ", which is " + cluster.state();
    return lastFailure == null ? state : state + ": " + lastFailure.message();
  }

  private static String quoted(ClusterHandle cluster) {
    return "cluster \"" + cluster.name() + "\"";
  }
}
