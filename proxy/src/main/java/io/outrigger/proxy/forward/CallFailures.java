package io.outrigger.proxy.forward;

import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.proxy.http2.Http2Error;
import io.outrigger.proxy.route.ConfigSelector;
import io.outrigger.proxy.route.ForwardTarget;
import org.jspecify.annotations.Nullable;

/** The statuses of failures that calls meet, in words that say what failed and where. */
final class CallFailures {
  private CallFailures() {}

  static RpcStatus malformedTimeout(CharSequence text) {
    return RpcStatus.internal("malformed grpc-timeout: \"" + text + "\"");
  }

  static RpcStatus headersTooLarge() {
    return new RpcStatus(
        Code.RESOURCE_EXHAUSTED, "the request's header list is too large (--max-header-bytes)");
  }

  static RpcStatus queueFull(String forward) {
    return RpcStatus.unavailable("too many requests wait in forward \"" + forward + "\"");
  }

  static RpcStatus memoryFull() {
    return RpcStatus.unavailable("requests hold as much memory as allowed (--max-memory)");
  }

  /** A bug of ours: a cluster is retired only after the selector was replaced. */
  static RpcStatus retiredCluster() {
    return RpcStatus.internal("routes name a retired cluster");
  }

  /** The gRPC code of a reset: the HTTP/2 mapping of the protocol (SC-15). */
  private static Code codeOf(Http2Error error) {
    return switch (error) {
      case CANCEL -> Code.CANCELLED;
      case ENHANCE_YOUR_CALM -> Code.RESOURCE_EXHAUSTED;
      case INADEQUATE_SECURITY -> Code.PERMISSION_DENIED;
      case REFUSED_STREAM -> Code.UNAVAILABLE;
      default -> Code.INTERNAL;
    };
  }

  /** The status of a stream that was reset by {@code address}, or by us for its error. */
  static RpcStatus ofReset(Http2Error error, boolean byPeer, String address) {
    return byPeer
        ? new RpcStatus(codeOf(error), address + " reset the stream: " + error)
        : RpcStatus.internal(address + " broke the protocol: " + error);
  }

  /** The status of a call whose connection to {@code address} ended under it (SC-16). */
  static RpcStatus ofLoss(String reason, String address) {
    return RpcStatus.unavailable("connection to " + address + " lost: " + reason);
  }

  /**
   * What a call waits for in {@code phase}, for people.
   *
   * @param target null while it is not known
   */
  static String waitsFor(CallPhase phase, @Nullable ForwardTarget target, Attempts attempts) {
    if (target == null) {
      return "";
    }
    if (phase == CallPhase.DELAYED) {
      return "the end of a delay that the fault filter injected";
    }
    return attempts.cluster() == null ? configuration(target) : attempts.waitsFor();
  }

  /** With the reason why there is none, where that is known. */
  private static String configuration(ForwardTarget target) {
    ConfigSelector selector = target.selector();
    return "the configuration of "
        + target.name()
        + (selector == null
            ? ""
            : selector.failure().map(failure -> ": " + failure.message()).orElse(""));
  }

  /**
   * The end of a call's time (SC-09).
   *
   * @param waitedFor what had not come by then; empty when it waited for nothing
   */
  static RpcStatus deadline(long limitNanos, String waitedFor) {
    String prefix = "deadline exceeded after " + limitNanos / 1_000_000 + "ms";
    return RpcStatus.deadlineExceeded(
        waitedFor.isEmpty() ? prefix : prefix + ", waiting for " + waitedFor);
  }

  /** What a call waits for between two attempts (SC-10). */
  static String nextAttempt(ClusterHandle cluster, RpcStatus failure) {
    return "another attempt in cluster \"" + cluster.name() + "\" after " + failure;
  }

  /** The status of an answer that was kept back because the request is sent again. */
  static RpcStatus ofAnswer(Code code, String address) {
    return new RpcStatus(code, address + " answered " + code);
  }

  /** What a call waits for once it has a cluster. */
  static String waitsFor(
      ClusterHandle cluster, @Nullable Attempt attempt, @Nullable RpcStatus lastFailure) {
    String name = "cluster \"" + cluster.name() + "\"";
    if (attempt != null && attempt.isOpen()) {
      return "the response of " + attempt.address() + " in " + name;
    }
    if (attempt != null && attempt.isWaiting()) {
      return "a stream to " + attempt.address() + " in " + name;
    }
    String state = "a connection in " + name + ", which is " + cluster.state();
    return lastFailure == null ? state : state + ": " + lastFailure.message();
  }
}
