package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.Subchannel;
import org.jspecify.annotations.Nullable;

/**
 * Measures a gRPC call and its attempts as A66 and A96 specify, one attempt at a time. An attempt
 * lasts from the start of its pick until its status, whether or not a backend was found. Times are
 * in nanoseconds since the call's arrival. A request that is not gRPC is not measured.
 *
 * <p>{@link CallStatsRecorder} inherits from this class, so that a call needs one object less.
 */
@LoopConfined
abstract class AttemptMeasure {
  private static final long NONE = -1;

  private @Nullable MethodStats method;
  private @Nullable String cluster;
  private @Nullable Locality locality;

  /** The start of the current attempt; {@link #NONE} when no attempt is in progress. */
  private long begun = NONE;

  private long sent;
  private long received;
  private long sentPrefixes;
  private long receivedPrefixes;

  /** The type of the current delay (A121); null when the call does not wait. */
  private @Nullable String delayType;

  private boolean delaysAttempt;
  private long delayed;

  /** Created with the second attempt, since most calls have only one. */
  private @Nullable Further further;

  /** Measurements of the attempts after the first one. */
  private static final class Further {
    int retries;
    int transparentRetries;
    long lastEnd;
    long delay;
  }

  /** Sets the statistics to which the call is added. */
  final void measureFor(MethodStats stats) {
    method = stats;
  }

  /**
   * @param routed the cluster that routing chose; null when unknown
   */
  final void attemptBegun(@Nullable String routed, long now) {
    if (method == null) {
      return;
    }
    method.attemptStarted();
    cluster = routed;
    locality = null;
    begun = now;
    if (further != null) {
      further.delay += now - further.lastEnd;
      sent = 0;
      received = 0;
      sentPrefixes = 0;
      receivedPrefixes = 0;
    }
  }

  /**
   * The pick returned a backend. In an aggregate cluster, the backend belongs to a leaf cluster
   * (A89).
   */
  final void attemptPicked(Subchannel picked) {
    String leaf = picked.cluster();
    cluster = leaf.isEmpty() ? cluster : leaf;
    if (method != null && method.tellsLocalities()) {
      locality = picked.locality().orElse(null);
    }
  }

  final void measureOutbound(ByteBuf data) {
    if (method != null) {
      sent += data.readableBytes();
      sentPrefixes = MessagePrefixes.read(sentPrefixes, data);
    }
  }

  final void measureInbound(ByteBuf data) {
    if (method != null) {
      received += data.readableBytes();
      receivedPrefixes = MessagePrefixes.read(receivedPrefixes, data);
    }
  }

  /** The attempt failed, and the retry policy makes another attempt. */
  final void attemptRetried(RpcStatus.Code code, long now) {
    Further more = further();
    more.retries++;
    more.lastEnd = now;
    attemptEnded(code, now);
  }

  /**
   * The attempt was refused and is followed by a transparent retry, which the retry policy does not
   * count.
   */
  final void attemptRetriedTransparently(RpcStatus.Code code, long now) {
    Further more = further();
    more.transparentRetries++;
    more.lastEnd = now;
    attemptEnded(code, now);
  }

  private Further further() {
    Further known = further;
    if (known == null) {
      known = new Further();
      further = known;
    }
    return known;
  }

  /** The type of the current delay; null when the call does not wait. */
  final @Nullable String delayType() {
    return delayType;
  }

  /**
   * A delay begins.
   *
   * @param ofAttempt whether the attempt is delayed, rather than the call
   */
  final void delayBegun(boolean ofAttempt, String type, long now) {
    delayType = type;
    delaysAttempt = ofAttempt;
    delayed = now;
  }

  /** The current delay has ended; does nothing when there is none. */
  final void delayEnded(long now) {
    String type = delayType;
    if (type == null) {
      return;
    }
    delayType = null;
    if (method != null && delaysAttempt) {
      method.attemptDelayed(type, now - delayed);
    } else if (method != null) {
      method.callDelayed(type, now - delayed);
    }
  }

  private void attemptEnded(RpcStatus.Code code, long now) {
    delayEnded(now);
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
  }

  /** The call has ended, and with it the current attempt. */
  final void callEnded(RpcStatus.Code code, long now) {
    MethodStats stats = method;
    if (stats == null) {
      return;
    }
    attemptEnded(code, now);
    stats.callEnded(code, now);
    if (further == null) {
      return;
    }
    if (further.retries > 0) {
      stats.retries.record(further.retries);
    }
    if (further.transparentRetries > 0) {
      stats.transparentRetries.record(further.transparentRetries);
    }
    stats.retryDelays.record(further.delay);
  }
}
