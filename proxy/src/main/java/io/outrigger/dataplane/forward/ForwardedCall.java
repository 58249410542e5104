package io.outrigger.dataplane.forward;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallStatsRecorder;
import io.outrigger.dataplane.filter.FilterChain;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import org.jspecify.annotations.Nullable;

/**
 * Forwards one request from the app's stream to a backend.
 *
 * <pre>
 * ROUTING -> SENDING  on route selected; without a selector the call is parked on the target
 * ROUTING -> DELAYED  on route selected whose filters inject a delay
 * DELAYED -> SENDING  on end of the delays
 * SENDING -> DONE     on answered (by the backend or here)
 * any     -> DONE     on deadline, failure, or cancellation by the app
 * </pre>
 *
 * <p>The idea: a ForwardedCall and the current attempt of its {@link CallAttempts} link the app's
 * stream with the backend's stream. Data from the app or the backend is forwarded immediately;
 * flow-control credit is returned when the data was sent. The request's body is buffered only while
 * there is no backend stream; the flow-control window of the app's stream limits the buffered
 * bytes. Every call ends by running {@link #settle} exactly once; events in phase DONE are dropped.
 *
 * <p>A31 "Config Selector"; CONTRACT section 5.
 */
@LoopConfined
public final class ForwardedCall implements StreamHandler {
  enum Phase {
    /** The call waits for its target's first {@link ConfigSelector}, or is being routed. */
    ROUTING,
    /** The call has a cluster, and a filter delays the call. */
    DELAYED,
    /** The call has a cluster, and its {@link CallAttempts} pick a backend and send the request. */
    SENDING,
    DONE;

    /** Returns the given phase; throws unless the given phase is later than this phase. */
    Phase to(Phase next) {
      if (next.compareTo(this) <= 0) {
        throw new IllegalStateException("a call went from " + this + " to " + next);
      }
      return next;
    }
  }

  final Forward forward;
  final CallLoop loop;
  final CallTime time;
  final Caller caller;
  final DownstreamResponse app;
  final CallStatsRecorder record;
  final RequestRelay request;
  private final CallAttempts attempts;

  /** The waiting state of this call; null for most calls, which never wait. */
  private @Nullable PendingCall waiting;

  /** The call's pass through the HTTP filters; null for a route without filters. */
  private FilterChain.@Nullable Pass filters;

  private Phase phase = Phase.ROUTING;
  private @Nullable RequestHead head;
  private @Nullable ForwardTarget target;

  public ForwardedCall(Forward forward, Caller caller, CallLoop loop, Http2Stream stream) {
    this.forward = forward;
    this.caller = caller;
    this.loop = loop;
    time =
        new CallTime(loop) {
          @Override
          void onDeadline() {
            ForwardedCall.this.onDeadline();
          }
        };
    app = new DownstreamResponse(stream, loop);
    record = forward.recorder(caller, loop);
    request = new RequestRelay(app, record, new ReplayBuffer(forward.replays));
    attempts = new CallAttempts(this, time, record, request);
  }

  /** Returns the final response headers of a backend with the fields that the filters add. */
  HeaderList filtered(HeaderList response) {
    if (filters == null) {
      return response;
    }
    var all = HeaderList.builder(response.size() + 1).addAll(response);
    filters.onResponse((name, value) -> all.add(AsciiString.of(name), value));
    return all.size() == response.size() ? response : all.build();
  }

  boolean isGrpc() {
    return head().isGrpc();
  }

  @Override
  public void onHeaders(HeaderList headers, boolean endStream) {
    if (head == null) {
      start(headers, endStream);
      time.arrived();
    } else if (phase != Phase.DONE) {
      attempts.onTrailers(headers);
      finishIfBothEnded();
    } else {
      app.onRequestEnd();
    }
  }

  @Override
  public void onTooLarge(HeaderList partOfFields, boolean endStream) { // SC-26
    begin(partOfFields, endStream);
    reply(CallFailures.headersTooLarge(), LocalReason.HEADERS_TOO_LARGE);
  }

  private void begin(HeaderList headers, boolean endStream) {
    head = loop.headOf(headers);
    record.started(head, forward.tracer);
    if (endStream) {
      app.onRequestEnd();
    }
  }

  private void start(HeaderList headers, boolean endStream) {
    begin(headers, endStream);
    RequestHead head = head();
    long appNanos = head.appTimeoutNanos();
    if (appNanos == GrpcTimeout.MALFORMED) { // SC-05
      reply(CallFailures.malformedTimeout(head.timeoutText()), LocalReason.BAD_REQUEST);
      return;
    }
    time.limit(appNanos);
    if (appNanos == 0) { // SC-06
      onDeadline();
      return;
    }
    String fault = forward.authorityFault(caller, head);
    if (fault != null) {
      reply(CallFailures.badRequest(fault), LocalReason.BAD_REQUEST);
      return;
    }
    Outcome<ForwardTarget> resolved = forward.targetFor(caller, head, app.stream);
    if (resolved instanceof Outcome.Ok<ForwardTarget> ok) {
      target = ok.value();
      route();
    } else {
      reply(resolved.status(), LocalReason.OVERLOAD);
    }
  }

  @Override
  public void onData(ByteBuf data, boolean endStream) {
    if (phase == Phase.DONE) {
      app.discard(data, endStream);
      return;
    }
    if (!request.isOpen() && !waiting().hold(data.readableBytes())) {
      data.release();
      overloaded();
      return;
    }
    request.onData(data, endStream);
    finishIfBothEnded();
  }

  @Override
  public void onDataSent(int bytes) {
    if (phase == Phase.DONE) {
      app.onSent();
      if (!app.hasUnread()) {
        time.disarm();
      }
    } else {
      attempts.returnCredit(bytes);
    }
  }

  /**
   * Whether at least half of the time limit has passed. An app's reset in the second half of the
   * time limit is not abuse, because the app's own timer may have expired.
   */
  @Override
  public boolean isTimeUp() {
    long limit = time.limitNanos();
    return limit != EffectiveTimeout.NONE && time.elapsedNanos() >= limit / 2;
  }

  @Override
  public void onReset(Http2Error error) {
    onAppGone();
  }

  /** Called when the app violated HTTP/2 after its request headers. */
  @Override
  public void onFault(Http2Error error, String reason) {
    if (phase != Phase.DONE) {
      record.local(CallFailures.badRequest(reason), LocalReason.BAD_REQUEST);
      app.gone();
      finish();
    }
    onAppGone();
  }

  @Override
  public void onConnectionLost(Refusal refused, String reason) {
    onAppGone();
  }

  private void onAppGone() { // SC-12
    app.gone();
    time.disarm();
    if (phase != Phase.DONE) {
      record.cancelled();
      finish();
    }
  }

  // Routing.

  private void route() {
    ForwardTarget routed = target();
    ConfigSelector previous = null;
    while (true) {
      ConfigSelector selector = routed.selector();
      if (selector == null || (selector.mayRecover() && head().waitsForReady())) { // SC-21
        if (!reserve()) {
          return;
        }
        time.arm();
        if (waiting().parkOn(parked -> routed.park(parked, selector), routed::unpark)) {
          record.callDelayed(CallFailures.configuration(routed), time.elapsedNanos());
          return;
        }
        continue;
      }
      if (selector == previous) { // a bug: the selector is replaced before its clusters are retired
        reply(RpcStatus.internal("routes name a retired cluster"), LocalReason.XDS_ERROR);
        return;
      }
      RouteDecision decision = selector.select(head(), loop.random);
      if (decision != null) {
        onDecision(decision);
        return;
      }
      previous = selector;
    }
  }

  private void onDecision(RouteDecision decision) {
    if (record.delayOver(time.elapsedNanos())) {
      record.spans().resolutionDelayed();
    }
    if (decision instanceof RouteDecision.Reject reject) {
      reply(reject.answer());
      return;
    }
    var chosen = (RouteDecision.Forward) decision;
    attempts.route(chosen);
    if (time.isOver()) {
      onDeadline();
      return;
    }
    time.arm();
    if (chosen.filters().isEmpty()) {
      send();
    } else {
      filters = chosen.filters().begin(attempts);
      filter();
    }
  }

  private void filter() {
    FilterStep step = requireNonNull(filters).next();
    if (step instanceof FilterStep.Pause wait) {
      if (phase == Phase.ROUTING) {
        phase = phase.to(Phase.DELAYED);
      }
      if (reserve()) {
        waiting().pause(wait.nanos(), this::filter);
      }
    } else if (step instanceof FilterStep.Answer answer) {
      reply(answer);
    } else {
      send();
    }
  }

  private void send() {
    phase = phase.to(Phase.SENDING);
    HeaderList forwarded = caller.forwarded(head().headers());
    if (forwarded != head().headers()) {
      head = loop.headOf(forwarded);
    }
    attempts.begin();
  }

  /** Counts the call as waiting; answers and ends the call when too many calls wait. */
  boolean reserve() {
    boolean reserved = waiting().reserve(head().headers());
    if (!reserved) {
      overloaded();
    }
    return reserved;
  }

  /** Continues the call after a wait; does nothing when the call has ended. */
  void resume() {
    if (phase == Phase.ROUTING) {
      route();
    } else if (phase == Phase.SENDING) {
      attempts.resume();
    }
  }

  // Events that the attempts report.

  /** Called when the response is complete. A request that is not gRPC may still be incomplete. */
  void onResponseEnd() {
    if (isGrpc() || app.requestEnded()) {
      finish();
    }
  }

  /** Like {@link CallAttempts#onUpstreamFailed}, but no further attempt is made. */
  void onUpstreamFailed(ResponseRelay response, @Nullable Http2Error error, RpcStatus failure) {
    if (response.hasEnded()) {
      finish(); // the response is complete
    } else if (time.isOver()) {
      onDeadline(); // the backend hit the same deadline a tick earlier (SC-11)
    } else if (error != null && response.hasBegun()) {
      record.grpcStatus(failure.code());
      app.reset(error);
      finish();
    } else {
      reply(failure, LocalReason.UPSTREAM_RESET);
    }
  }

  // The end of the call.

  void onDeadline() {
    if (phase == Phase.DONE) {
      app.expire(head(), CallFailures.deadline(time.limitNanos(), "the app to read the response"));
      return;
    }
    if (attempts.hasResponseEnded()) {
      finish(); // the response is complete; only the request continues
      return;
    }
    reply(CallFailures.deadline(time.limitNanos(), waitsFor()), LocalReason.DEADLINE);
  }

  private String waitsFor() {
    if (target == null) {
      return "";
    }
    if (phase == Phase.DELAYED) {
      return "the end of a delay that the fault filter injected";
    }
    return attempts.isRouted() ? attempts.waitsFor() : CallFailures.configuration(target);
  }

  @Override
  public void onOverload() {
    if (phase == Phase.DONE) {
      app.drop();
      time.disarm();
    } else {
      reply(CallFailures.memoryFull(), LocalReason.OVERLOAD);
    }
  }

  private void overloaded() {
    reply(CallFailures.queueFull(forward, caller), LocalReason.OVERLOAD);
  }

  private void reply(FilterStep.Answer answer) {
    reply(answer.status(), answer.reason(), answer.httpStatus());
  }

  void reply(RpcStatus status, LocalReason reason) {
    reply(status, reason, reason.httpStatus(status));
  }

  /**
   * Answers on behalf of the backend and ends the call.
   *
   * @param httpStatus the {@code :status} for a request that is not gRPC
   */
  void reply(RpcStatus status, LocalReason reason, int httpStatus) {
    RpcStatus noted = noted(status, reason);
    record.local(noted, reason, httpStatus);
    phase = phase.to(Phase.DONE); // set first, so that the reply returns no credit to the backend
    try {
      app.reply(head(), noted, reason, httpStatus);
    } finally {
      settle(); // even if there is no memory for the reply
    }
  }

  /** Returns a copy of a status whose message ends with the resolution note or the node ID. */
  RpcStatus noted(RpcStatus status, LocalReason reason) {
    String nodeId = forward.settings.nodeId().get();
    return LocalReply.noted(status, reason, attempts.resolutionNote(), nodeId);
  }

  private void finishIfBothEnded() {
    if (attempts.hasResponseEnded() && app.requestEnded()) {
      finish();
    }
  }

  private void finish() {
    phase = phase.to(Phase.DONE);
    settle();
  }

  /** Ends the app's and the backend's stream, releases all resources, and reports the call. */
  private void settle() {
    if (!app.hasUnread()) {
      time.disarm(); // otherwise the deadline still limits how long the app may read
    }
    stopWaiting();
    request.release();
    if (filters != null) {
      filters.end();
    }
    attempts.finish();
    app.stop();
    forward.report(record, time.elapsedNanos(), time.limitNanos());
  }

  RequestHead head() {
    return requireNonNull(head);
  }

  ForwardTarget target() {
    return requireNonNull(target);
  }

  /** Returns the {@link PendingCall} of this call, created on first use. */
  PendingCall waiting() {
    PendingCall pending = waiting;
    if (pending == null) {
      pending = new PendingCall(forward.queueLimit, loop, this::resume);
      waiting = pending;
    }
    return pending;
  }

  void stopWaiting() {
    if (waiting != null) {
      waiting.stop();
    }
  }
}
