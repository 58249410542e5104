package io.outrigger.proxy.forward;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import org.jspecify.annotations.Nullable;

/**
 * Measures a gRPC call and its attempts as A66 and A96 say, one attempt at a time. An attempt is
 * from before its pick until its status, whether or not it found a backend. Times are since the
 * call's arrival, in nanoseconds, as the call knows them anyway. A request that is not gRPC is not
 * measured.
 */
@LoopConfined
final class AttemptMeasure {
  private static final long NONE = -1;

  private @Nullable MethodStats method;
  private @Nullable String cluster;
  private @Nullable Locality locality;

  /** When the current attempt began; {@link #NONE} while there is none. */
  private long begun = NONE;

  private long sent;
  private long received;
  private long sentPrefixes;
  private long receivedPrefixes;
  private int retries;
  private int transparentRetries;
  private long lastEnd;
  private long delay;

  /** The call counts there. */
  void method(MethodStats stats) {
    method = stats;
  }

  /**
   * @param routed the cluster, as far as it is known before the pick
   */
  void begin(@Nullable String routed, long now) {
    if (method == null) {
      return;
    }
    method.attemptStarted();
    cluster = routed;
    locality = null;
    begun = now;
    if (retries + transparentRetries > 0) {
      delay += now - lastEnd;
      sent = 0;
      received = 0;
      sentPrefixes = 0;
      receivedPrefixes = 0;
    }
  }

  /** The pick gave a backend: of an aggregate, in a leaf of it (A89). */
  void picked(Attempt attempt) {
    String leaf = attempt.cluster();
    cluster = leaf.isEmpty() ? cluster : leaf;
    if (method != null && method.tellsLocalities()) {
      locality = attempt.locality().orElse(null);
    }
  }

  void outbound(ByteBuf data) {
    if (method != null) {
      sent += data.readableBytes();
      sentPrefixes = MessagePrefixes.read(sentPrefixes, data);
    }
  }

  void inbound(ByteBuf data) {
    if (method != null) {
      received += data.readableBytes();
      receivedPrefixes = MessagePrefixes.read(receivedPrefixes, data);
    }
  }

  /** The attempt failed, and the policy makes another. */
  void retried(RpcStatus.Code code, long now) {
    retries++;
    attemptEnded(code, now);
  }

  /** The attempt was refused, and another is made that the policy does not count. */
  void remade(RpcStatus.Code code, long now) {
    transparentRetries++;
    attemptEnded(code, now);
  }

  private void attemptEnded(RpcStatus.Code code, long now) {
    if (begun != NONE && method != null) {
      method.attemptEnded(
          cluster == null ? "" : cluster,
          locality,
          code,
          now - begun,
          sent - MessagePrefixes.bytes(sentPrefixes),
          received - MessagePrefixes.bytes(receivedPrefixes));
    }
    begun = NONE;
    lastEnd = now;
  }

  /** The call is over, and with it the attempt that is under way. */
  void ended(RpcStatus.Code code, long now) {
    MethodStats stats = method;
    if (stats == null) {
      return;
    }
    attemptEnded(code, now);
    stats.callEnded(code, now);
    if (retries > 0) {
      stats.retries.record(retries);
    }
    if (transparentRetries > 0) {
      stats.transparentRetries.record(transparentRetries);
    }
    if (retries + transparentRetries > 0) {
      stats.retryDelays.record(delay);
    }
  }
}
