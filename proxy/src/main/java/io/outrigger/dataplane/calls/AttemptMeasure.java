package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.Subchannel;
import org.jspecify.annotations.Nullable;

/**
 * Measures a gRPC call and its attempts as A66 and A96 specify, one attempt at a time, and notifies
 * the spans of the call. An attempt lasts from the start of its pick until its status, whether or
 * not a backend was found. Times are in nanoseconds since the call's arrival.
 */
@LoopConfined
final class AttemptMeasure {
  private static final long NONE = -1;

  private final MethodStats method;
  private final CallSpans spans;
  private @Nullable String cluster;
  private @Nullable Locality locality;

  /** The start of the current attempt; {@link #NONE} when no attempt is in progress. */
  private long begun = NONE;

  private long sent;
  private long received;
  private long sentPrefixes;
  private long receivedPrefixes;

  /** The current delay; null when the call does not wait. */
  private @Nullable Delay delay;

  /** Created with the second attempt, since most calls have only one. */
  private @Nullable Further further;

  /** A wait of the call or of its attempt (A121). */
  private static final class Delay {
    final boolean ofAttempt;
    final String type;
    final long since;
    String reason;

    Delay(boolean ofAttempt, String type, String reason, long since) {
      this.ofAttempt = ofAttempt;
      this.type = type;
      this.reason = reason;
      this.since = since;
    }
  }

  /** Measurements of the attempts after the first one. */
  private static final class Further {
    int retries;
    int transparentRetries;
    long lastEnd;
    long delay;
  }

  AttemptMeasure(MethodStats method, CallSpans spans) {
    this.method = method;
    this.spans = spans;
  }

  CallSpans spans() {
    return spans;
  }

  /**
   * @param routed the cluster that routing chose; null when unknown
   */
  void attemptBegins(@Nullable String routed, int previous, boolean transparent, long now) {
    spans.attemptBegins(previous, transparent);
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
  void attemptPicked(Subchannel picked) {
    String leaf = picked.cluster();
    cluster = leaf.isEmpty() ? cluster : leaf;
    if (method.hasLocalities()) {
      locality = picked.backend().locality();
    }
  }

  void outbound(ByteBuf data) {
    spans.outbound(data);
    sent += data.readableBytes();
    sentPrefixes = MessagePrefixes.read(sentPrefixes, data);
  }

  void inbound(ByteBuf data) {
    spans.inbound(data);
    received += data.readableBytes();
    receivedPrefixes = MessagePrefixes.read(receivedPrefixes, data);
  }

  /**
   * The attempt failed, and another attempt follows.
   *
   * @param transparent whether the next attempt is a transparent retry
   */
  void attemptFailed(RpcStatus failure, boolean transparent, long now) {
    Further more = further;
    if (more == null) {
      more = new Further();
      further = more;
    }
    if (transparent) {
      more.transparentRetries++;
    } else {
      more.retries++;
    }
    more.lastEnd = now;
    attemptEnded(failure.code(), now);
    spans.attemptFailed(failure);
  }

  /**
   * The call or its attempt waits. A delay of the same type as the current one continues it.
   *
   * @param ofAttempt whether the attempt is delayed, rather than the call
   */
  void delayed(boolean ofAttempt, String type, String reason, long now) {
    Delay current = delay;
    if (current == null || !current.type.equals(type)) {
      delayOver(now);
      delay = new Delay(ofAttempt, type, reason, now);
      spans.delayBegins(ofAttempt, type, reason);
    } else if (!current.reason.equals(reason)) {
      current.reason = reason;
      spans.delayReason(reason);
    }
  }

  /** The current delay has ended; does nothing when there is none. */
  void delayOver(long now) {
    if (delay != null) {
      delayEnded(now);
      spans.delayEnds();
    }
  }

  private void delayEnded(long now) {
    Delay over = delay;
    delay = null;
    if (over != null && over.ofAttempt) {
      method.attemptDelayed(over.type, now - over.since);
    } else if (over != null) {
      method.callDelayed(over.type, now - over.since);
    }
  }

  private void attemptEnded(RpcStatus.Code code, long now) {
    delayEnded(now);
    if (begun != NONE) {
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
  void callEnded(RpcStatus.Code code, String message, long now) {
    attemptEnded(code, now);
    method.callEnded(code, now);
    if (further != null) {
      method.retriedCallEnded(further.retries, further.transparentRetries, further.delay);
    }
    if (spans != CallSpans.NONE) {
      spans.ended(new RpcStatus(code, message));
    }
  }
}
