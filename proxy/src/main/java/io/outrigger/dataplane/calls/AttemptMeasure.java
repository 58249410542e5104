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

  /** Created when the call waits or gets a second attempt, since most calls do neither. */
  private @Nullable Detours detours;

  /** The waits of a call and its attempts after the first one. */
  private static final class Detours {
    /** The type of the current delay (A121); null when the call does not wait. */
    @Nullable String delayType;

    String delayReason = "";
    boolean delaysAttempt;
    long delayed;

    int retries;
    int transparentRetries;
    long lastEnd;
    long withoutAttempt;
  }

  AttemptMeasure(MethodStats method, CallSpans spans) {
    this.method = method;
    this.spans = spans;
    if (method.isServer()) {
      method.attemptStarted();
    }
  }

  CallSpans spans() {
    return spans;
  }

  /**
   * @param routed the cluster that routing chose; null when unknown
   */
  void attemptBegins(@Nullable String routed, int previous, boolean transparent, long now) {
    spans.attemptBegins(previous, transparent);
    if (!method.isServer()) {
      method.attemptStarted();
    }
    cluster = routed;
    locality = null;
    begun = now;
    if (isRetried()) {
      detours().withoutAttempt += now - detours().lastEnd;
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
    Detours more = detours();
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
    Detours current = detours();
    if (!type.equals(current.delayType)) {
      delayOver(now);
      current.delayType = type;
      current.delaysAttempt = ofAttempt;
      current.delayed = now;
      spans.delayBegins(ofAttempt, type, reason);
    } else if (!reason.equals(current.delayReason)) {
      spans.delayReason(reason);
    }
    current.delayReason = reason;
  }

  /** The current delay has ended; returns false when there is none. */
  boolean delayOver(long now) {
    boolean isOver = delayEnded(now);
    if (isOver) {
      spans.delayEnds();
    }
    return isOver;
  }

  private boolean delayEnded(long now) {
    Detours known = detours;
    if (known == null || known.delayType == null) {
      return false;
    }
    if (known.delaysAttempt) {
      method.attemptDelayed(known.delayType, now - known.delayed);
    } else {
      method.callDelayed(known.delayType, now - known.delayed);
    }
    known.delayType = null;
    return true;
  }

  private boolean isRetried() {
    return detours != null && detours.retries + detours.transparentRetries > 0;
  }

  private Detours detours() {
    Detours known = detours;
    if (known == null) {
      known = new Detours();
      detours = known;
    }
    return known;
  }

  private void attemptEnded(RpcStatus.Code code, long now) {
    delayEnded(now);
    if (begun != NONE && !method.isServer()) {
      ended(cluster == null ? "" : cluster, locality, code, now - begun);
    }
    begun = NONE;
  }

  private void ended(String where, @Nullable Locality locality, RpcStatus.Code code, long nanos) {
    method.attemptEnded(
        where,
        locality,
        code,
        nanos,
        sent - MessagePrefixes.bytes(sentPrefixes),
        received - MessagePrefixes.bytes(receivedPrefixes));
  }

  /** The call has ended, and with it the current attempt. */
  void callEnded(RpcStatus.Code code, String message, long now) {
    attemptEnded(code, now);
    if (method.isServer()) {
      ended("", null, code, now);
    }
    method.callEnded(code, now);
    if (isRetried()) {
      Detours past = detours();
      method.retriedCallEnded(past.retries, past.transparentRetries, past.withoutAttempt);
    }
    if (spans != CallSpans.NONE) {
      spans.ended(new RpcStatus(code, message));
    }
  }
}
