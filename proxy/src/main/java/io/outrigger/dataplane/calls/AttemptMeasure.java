package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.Subchannel;
import org.jspecify.annotations.Nullable;

/**
 * Measures a gRPC call and its attempts as A66 and A96 say, one attempt at a time. An attempt is
 * from before its pick until its status, whether or not it found a backend. Times are since the
 * call's arrival, in nanoseconds, as the call knows them anyway. A request that is not gRPC is not
 * measured.
 *
 * <p>Every call has it, as a part of its record and not as an object of its own.
 */
@LoopConfined
abstract class AttemptMeasure {
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

  /** What is waited for (A121); null while nothing is. */
  private @Nullable String delayType;

  private boolean delaysAttempt;
  private long delayed;

  /** Made when the first attempt is followed by another: most are not. */
  private @Nullable Further further;

  /** What there is to tell of attempts after the first. */
  private static final class Further {
    int retries;
    int transparentRetries;
    long lastEnd;
    long delay;
  }

  /** The call counts there. */
  final void measureFor(MethodStats stats) {
    method = stats;
  }

  /**
   * @param routed the cluster, as far as it is known before the pick
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

  /** The pick gave a backend: of an aggregate, in a leaf of it (A89). */
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

  /** The attempt failed, and the policy makes another. */
  final void attemptRetried(RpcStatus.Code code, long now) {
    Further more = further();
    more.retries++;
    more.lastEnd = now;
    attemptEnded(code, now);
  }

  /** The attempt was refused, and another is made that the policy does not count. */
  final void attemptRemade(RpcStatus.Code code, long now) {
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

  /** What is waited for; null while nothing is. */
  final @Nullable String delayType() {
    return delayType;
  }

  /**
   * A wait begins.
   *
   * @param ofAttempt whether it is one of the attempt, else of the call
   */
  final void delayBegun(boolean ofAttempt, String type, long now) {
    delayType = type;
    delaysAttempt = ofAttempt;
    delayed = now;
  }

  /** A wait is over, if there was one. */
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

  /** The call is over, and with it the attempt that is under way. */
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
